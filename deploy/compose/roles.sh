#!/bin/sh
# Creates the two roles and the database when PostgreSQL starts for the first time: one role owns the tables, the other
# serves requests and is bound by row-level security.
set -eu
psql --set ON_ERROR_STOP=1 --set "owner=$RECUERDO_OWNER_PASSWORD" --set "server=$RECUERDO_SERVER_PASSWORD" \
    --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
CREATE ROLE recuerdo_owner LOGIN PASSWORD :'owner';
CREATE ROLE recuerdo_app NOLOGIN;
CREATE ROLE recuerdo_server LOGIN PASSWORD :'server' IN ROLE recuerdo_app;
CREATE DATABASE recuerdo OWNER recuerdo_owner;
\connect recuerdo
CREATE EXTENSION IF NOT EXISTS vector;
SQL
