# SPDX-License-Identifier: GPL-2.0-or-later
# PostgreSQL as an ordinary user: initdb, a server, pgbench, queries. Root becomes nobody for that.
BIN=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
D=$(mktemp -d "${TMPDIR:-/tmp}/pg.XXXXXX")
SAY="psql -h $D -d postgres -U tester -Atq"
become=
if [ "$(id -u)" -eq 0 ]; then
	chown nobody "$D"
	become='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
cd "$D" || exit 1
$become "$BIN/initdb" -D "$D/data" -U tester -A trust -N --no-locale -E UTF8 >/dev/null
echo "initdb: $?"
$become "$BIN/postgres" -D "$D/data" -k "$D" -c listen_addresses= -c fsync=off -c log_min_messages=fatal \
	-c autovacuum=off 2>/dev/null &
for i in {1..600}; do $SAY -c 'select 1' >/dev/null 2>&1 && break; sleep 0.1; done
$become "$BIN/pgbench" -h "$D" -U tester -i -q -s 1 postgres >/dev/null 2>&1
echo "made: $?"
$become "$BIN/pgbench" -h "$D" -U tester -c 4 -j 2 -t 50 postgres >/dev/null 2>&1
echo "bench: $?"
$SAY -c 'select count(*), sum(abalance) = (select sum(delta) from pgbench_history) from pgbench_accounts' \
	-c 'select count(*) from pgbench_history' \
	-c 'select sum(a.i * b.i) from generate_series(1, 300) a(i), generate_series(1, 300) b(i) where (a.i + b.i) % 7 = 3' \
	-c 'select md5(string_agg(i::text, $$,$$ order by i % 97, i)) from generate_series(1, 20000) i'
kill -INT $!
wait $!
echo "ended: $?"
rm -rf "$D"
