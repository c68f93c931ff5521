# A team server: a bare repository with the freeze law, next to `nutsync serve`. See docs/team-server.md.
FROM python:3.13-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends git openssh-client \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 nutsync
COPY . /src
RUN pip install --no-cache-dir '/src[serve]' && rm -rf /src
USER nutsync
WORKDIR /memory
VOLUME /memory
EXPOSE 8765
# Other addresses than the container's own are served only where the cell has tokens.
CMD ["nutsync", "serve", "--host", "0.0.0.0", "--port", "8765"]
