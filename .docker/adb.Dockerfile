FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends adb \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --groups plugdev adb \
 && install -d -o adb -g adb /home/adb/.android
USER adb
EXPOSE 5037
HEALTHCHECK --interval=10s --timeout=3s CMD adb devices
CMD ["adb", "-a", "-P", "5037", "server", "nodaemon"]
