//! Kernels of GoBench in Rust, a file for each project. Names are those of GoBench: project and number of the report.

mod cockroach;
mod etcd;
mod grpc;
mod hugo;
mod istio;
mod kubernetes;
mod kubernetes_races;
mod lockbud;
mod moby;
mod serving;
mod syncthing;
