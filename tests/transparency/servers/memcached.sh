# SPDX-License-Identifier: GPL-2.0-or-later
# memcached with four threads, asked by four; ends by SIGINT.
memcached -u root -t 4 -m 16 -s "$PWD/s" -a 0700 &
for i in {1..400}; do [ -S s ] && break; sleep 0.05; done
/usr/bin/python3 "$HERE/servers/ask.py" memcached s "${REQUESTS:-2000}"
kill -INT $!
wait $!
echo "ended: $?"
rm -f s
