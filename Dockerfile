# The image that examples/kubernetes_job.yaml names: CPU alone, no compiler, not as root; nothing in it phones home.
#     docker build -t haustra .
#     docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" haustra locate recording.mp4
# The Python that constraints.txt was tested with.
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src src
RUN python -m venv /opt/haustra \
    && /opt/haustra/bin/python -m pip install --no-cache-dir --constraint constraints.txt ".[cluster,dicom]"

FROM python:3.11-slim
COPY --from=build /opt/haustra /opt/haustra
ENV PATH="/opt/haustra/bin:$PATH" PYTHONUNBUFFERED=1
RUN useradd --uid 1000 --create-home haustra
USER 1000
WORKDIR /data
ENTRYPOINT ["haustra"]
