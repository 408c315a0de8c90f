# The server, the worker and every command, in one image: docker build -t recuerdo .
# How to run it: docs/how-to/run-in-containers.md

FROM python:3.13-slim AS build
WORKDIR /src
RUN python -m venv /opt/recuerdo && python -m venv /opt/build
# The pinned dependencies are a layer of their own, which stays when only our code changes.
COPY requirements/hashed requirements/hashed
RUN /opt/recuerdo/bin/pip install --no-cache-dir --disable-pip-version-check --requirement requirements/hashed/run.txt
RUN /opt/build/bin/pip install --no-cache-dir --disable-pip-version-check --requirement requirements/hashed/build.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN /opt/build/bin/pip wheel --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir /opt/build/dist . \
    && /opt/recuerdo/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps /opt/build/dist/*.whl
# pip stays behind: nothing is installed into a running container.
RUN /opt/recuerdo/bin/pip uninstall --yes --quiet pip

FROM python:3.13-slim
COPY --from=build /opt/recuerdo /opt/recuerdo
RUN mkdir /data && chown 10001:10001 /data
ENV PATH=/opt/recuerdo/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    RECUERDO_HOST=0.0.0.0 \
    RECUERDO_DATABASE_URL=sqlite:////data/recuerdo.db \
    RECUERDO_SPOOL=/data/spool
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
ENTRYPOINT ["recuerdo"]
CMD ["serve"]
