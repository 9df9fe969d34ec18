# SPDX-License-Identifier: GPL-2.0-or-later
# MariaDB in a folder of its own: made, started, asked, shut down.
D=$(mktemp -d "${TMPDIR:-/tmp}/maria.XXXXXX")
mariadb-install-db --no-defaults --user=root --datadir="$D/data" --auth-root-authentication-method=normal \
	--skip-test-db >/dev/null 2>&1
echo "made: $?"
mariadbd --no-defaults --user=root --datadir="$D/data" --socket="$D/s" --skip-networking --pid-file="$D/pid" \
	--innodb-buffer-pool-size=32M >/dev/null 2>&1 &
SAY="mariadb --no-defaults -u root -S $D/s -N"
for i in {1..600}; do $SAY -e 'select 1' >/dev/null 2>&1 && break; sleep 0.1; done
$SAY -e 'create database d; use d; create table t (i int primary key, v varchar(20)); insert into t
	select seq, concat("v", seq * seq % 1009) from seq_1_to_5000; select count(*), sum(i) from t where v like "v1%";
	select v, count(*) n from t group by v order by n desc, v limit 3'
mariadb-admin --no-defaults -u root -S "$D/s" shutdown
wait $!
echo "ended: $?"
rm -rf "$D"
