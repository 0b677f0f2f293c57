"""The images of the Dockerfile and the services of Compose, built and used (`make docker-verify`)."""
