{{- define "footnote.name" -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- end }}

{{- define "footnote.selector" -}}
app.kubernetes.io/name: footnote
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "footnote.labels" -}}
{{ include "footnote.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "footnote.image" -}}
{{ .root.Values.image.repository }}-{{ .target }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* Path prefixes of each service, below /v1. A test compares them with the gateway of `footnote up`. */}}
{{- define "footnote.segments" -}}
ingest: [documents, folders, connectors, sessions, webhooks, lanes, chunks]
retriever: [search, presets]
agent: [threads, turns, memory, automations, chat, models, tools, flags, audit, keys]
resolver: [conversations, streams, ground]
{{- end }}

{{/* Whom each role calls. A test compares this with what the code imports. */}}
{{- define "footnote.calls" -}}
ingest: {services: [], stores: [postgres, redis, qdrant, objects]}
retriever: {services: [ingest], stores: [postgres, redis, qdrant], chat: true}
agent: {services: [ingest, retriever, resolver], stores: [postgres, redis], chat: true}
resolver: {services: [ingest, agent], stores: [postgres, redis]}
worker: {services: [], stores: [postgres, redis, qdrant, objects]}
beat: {services: [], stores: [redis]}
migrate: {services: [], stores: [postgres]}
{{- end }}

{{- define "footnote.ports" -}}
{postgres: 5432, redis: 6379, qdrant: 6333, objects: 9000}
{{- end }}

{{- define "footnote.waitsForSchema" -}}
{{- if or .Values.bundled.postgres .Values.secrets.externalSecret.enabled }}true{{ end }}
{{- end }}

{{- define "footnote.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: {name: {{ .root.Values.secrets.existingSecret }}, key: {{ .key }}, optional: {{ .optional | default false }}}
{{- end }}

{{- define "footnote.env" -}}
{{- $name := include "footnote.name" . }}
{{- if .Values.bundled.postgres }}
{{ include "footnote.secretEnv" (dict "root" . "name" "POSTGRES_PASSWORD" "key" "postgres-password") }}
- {name: FOOTNOTE_DATABASE_URL, value: "postgresql://footnote:$(POSTGRES_PASSWORD)@{{ $name }}-postgres:5432/footnote"}
{{- else }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_DATABASE_URL" "key" "database-url") }}
{{- end }}
{{- if .Values.bundled.redis }}
{{ include "footnote.secretEnv" (dict "root" . "name" "REDIS_PASSWORD" "key" "redis-password") }}
- {name: FOOTNOTE_REDIS_URL, value: "redis://:$(REDIS_PASSWORD)@{{ $name }}-redis:6379/0"}
{{- else }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_REDIS_URL" "key" "redis-url") }}
{{- end }}
- {name: FOOTNOTE_QDRANT_URL, value: {{ .Values.bundled.qdrant | ternary (printf "http://%s-qdrant:6333" $name) .Values.stores.qdrantUrl | quote }}}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_QDRANT_API_KEY" "key" "qdrant-api-key" "optional" (not .Values.bundled.qdrant)) }}
- {name: FOOTNOTE_BLOB_URL, value: {{ .Values.stores.blobUrl | quote }}}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_BLOB_OPTIONS" "key" "blob-options") }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_SERVICE_SECRET" "key" "service-secret") }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_CREDENTIALS_KEY" "key" "credentials-key" "optional" true) }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_CHAT_API_KEY" "key" "chat-api-key" "optional" true) }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_CHAT_FALLBACKS" "key" "chat-fallbacks" "optional" true) }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_FAST_API_KEY" "key" "fast-api-key" "optional" true) }}
{{ include "footnote.secretEnv" (dict "root" . "name" "FOOTNOTE_RERANKER_HTTP_KEY" "key" "reranker-key" "optional" true) }}
- {name: FOOTNOTE_HOST, value: 0.0.0.0}
- {name: FOOTNOTE_DATA, value: /data}
- {name: FOOTNOTE_LOG_FORMAT, value: json}
- {name: FOOTNOTE_NEIGHBOUR_PORT, value: "8100"}
- {name: FOOTNOTE_WORKER_METRICS_PORT, value: "9100"}
{{- range $service, $_ := .Values.services }}
- {name: FOOTNOTE_{{ $service | upper }}_URL, value: "http://{{ $name }}-{{ $service }}:8100"}
{{- end }}
{{- range $setting, $value := .Values.settings }}
- {name: {{ $setting }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{- define "footnote.podSecurity" -}}
automountServiceAccountToken: false
serviceAccountName: {{ include "footnote.name" . }}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "footnote.containerSecurity" -}}
{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
{{- end }}

{{/* Everything of a pod but its container. `component`, `root`. */}}
{{- define "footnote.podSpec" -}}
{{- include "footnote.podSecurity" .root }}
terminationGracePeriodSeconds: {{ .root.Values.terminationGraceSeconds }}
topologySpreadConstraints:
- maxSkew: 1
  topologyKey: {{ .root.Values.spread.topologyKey }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "footnote.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
volumes:
- {name: data, emptyDir: {sizeLimit: 4Gi}}
- {name: tmp, emptyDir: {sizeLimit: 4Gi}}
{{- if include "footnote.waitsForSchema" .root }}
initContainers:
- name: schema
  image: {{ include "footnote.image" (dict "root" .root "target" "migrate") }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: [sh, -c, "until footnote migrate --check; do sleep 2; done"]
  env: {{- include "footnote.env" .root | nindent 2 }}
  securityContext: {{ include "footnote.containerSecurity" .root }}
  resources: {{ toJson .root.Values.migration.resources }}
  volumeMounts: [{name: data, mountPath: /data}, {name: tmp, mountPath: /tmp}]
{{- end }}
{{- end }}

{{- define "footnote.metadata" -}}
name: {{ include "footnote.name" .root }}-{{ .component }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "footnote.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
{{- end }}
