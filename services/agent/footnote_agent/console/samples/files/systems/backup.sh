#!/bin/sh
# Nightly backup of the booking system. It runs at 02:30 on the machine quay-2.
set -eu

target=/srv/backup/booking
keep_days=35

pg_dump --format=custom booking > "$target/booking-$(date +%F).dump"
find "$target" -name 'booking-*.dump' -mtime +"$keep_days" -delete
