# SPDX-License-Identifier: GPL-2.0-or-later
# nginx with two workers, asked by four threads; ends by SIGQUIT, as an administrator would do it.
D=$PWD
mkdir -p www
head -c 20000 "$IN/text" >www/a.txt
cp "$IN/binary" www/b.bin
cat >nginx.conf <<END
worker_processes 2;
daemon off;
pid $D/pid;
error_log /dev/null;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path $D/t; proxy_temp_path $D/t; fastcgi_temp_path $D/t; uwsgi_temp_path $D/t; scgi_temp_path $D/t;
	gzip on;
	server { listen unix:$D/s; root $D/www; autoindex on; autoindex_exact_size on; }
}
END
nginx -p "$D" -c "$D/nginx.conf" 2>/dev/null &
for i in {1..400}; do [ -S s ] && break; sleep 0.05; done
/usr/bin/python3 "$HERE/servers/ask.py" http s "${REQUESTS:-150}" a.txt b.bin none
kill -QUIT $!
wait $!
echo "ended: $?"
rm -rf t nginx.conf
