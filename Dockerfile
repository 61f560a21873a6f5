# The tool, a toolchain and a runtime that is built already, for machines that are no Linux. As the user of the host, in the directory
# of the host, so that files are his and places in reports can be opened:
#
#   docker build --tag cargo-contest .
#   docker run --rm --interactive --tty --user "$(id -u):$(id -g)" --volume "$PWD:$PWD" --workdir "$PWD" \
#       --volume cargo-contest:/volume cargo-contest cargo contest
ARG RUST=1
FROM docker.io/library/rust:${RUST}-slim AS built
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package cargo-contest

FROM docker.io/library/rust:${RUST}-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gdb git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=built /source/target/release/cargo-contest /usr/local/bin/
# A named volume begins with what is here, with these permissions: any user of the host may write there.
ENV CARGO_HOME=/volume/cargo CONTEST_CACHE_DIR=/volume/contest HOME=/volume/home
RUN mkdir -p /volume/cargo /volume/home && cargo contest setup && chmod -R a+rwX /volume
VOLUME /volume
