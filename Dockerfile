# The shop anywhere: docker build -t dimity . && docker run -p 7860:7860 dimity
FROM python:3.11-slim
RUN useradd --create-home shop
WORKDIR /home/shop/dimity
COPY requirements.txt .
RUN pip install --no-cache-dir --disable-pip-version-check -r requirements.txt
COPY --chown=shop app.py README.md ./
COPY --chown=shop page page
COPY --chown=shop agent agent
COPY --chown=shop page page
COPY --chown=shop retrieval retrieval
COPY --chown=shop assets assets
USER shop
# The index of the embedded gallery is made here and not at each start; one message is answered, or the build fails.
RUN python app.py --check
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/healthz', timeout=8)"]
CMD ["python", "app.py", "--host", "0.0.0.0"]
