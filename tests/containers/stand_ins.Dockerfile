# Images by the names that docker-compose.yml asks for, where no registry is reachable. They are for
# `make docker-verify` alone: their stores are Debian's, and Qdrant and the S3 store are others than their names say.
ARG BASE=footnote-verify-debian
ARG ROLE=footnote-verify-runtime

FROM ${BASE} AS stores
RUN apt-get update --quiet \
    && apt-get install --quiet --yes --no-install-recommends postgresql redis-server nginx-light \
    && rm -rf /var/lib/apt/lists/* /etc/nginx/sites-enabled/default

FROM stores AS postgres
COPY postgres.sh /stand-in.sh
ENTRYPOINT ["sh", "/stand-in.sh"]

FROM stores AS redis

FROM stores AS nginx
CMD ["nginx", "-g", "daemon off;"]

FROM ${BASE} AS prometheus
RUN apt-get update --quiet \
    && apt-get install --quiet --yes --no-install-recommends prometheus \
    && rm -rf /var/lib/apt/lists/*
ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]

FROM ${BASE} AS objects
RUN python -m venv /opt/moto && /opt/moto/bin/pip install --quiet --no-cache-dir 'moto[s3]' flask flask-cors
ENTRYPOINT ["sh", "-c", "exec /opt/moto/bin/moto_server --host 0.0.0.0 --port 9000"]

FROM ${BASE} AS bucket
COPY mc.py /usr/local/bin/mc

FROM ${ROLE} AS qdrant
USER root
RUN apt-get update --quiet \
    && apt-get install --quiet --yes --no-install-recommends nginx-light \
    && rm -rf /var/lib/apt/lists/* /etc/nginx/sites-enabled/default
WORKDIR /qdrant
COPY qdrant.conf /etc/nginx/conf.d/qdrant.conf
COPY --chmod=755 qdrant.sh /qdrant/entrypoint.sh
ENTRYPOINT []
