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
ingest: [documents, folders, connectors, sessions, webhooks, lanes, workspaces, avatars, chunks, entities]
retriever: [search, presets]
agent: [threads, shared, turns, automations, chat, models, tools, tool-servers, flags, audit, keys]
resolver: [conversations, streams, ground]
{{- end }}

{{/* Whom each role calls; `chat`: it asks models; `keys`: it reads keys of encryption; `tokens`: it checks tokens of users; `secrets`: what else of the Secret it needs. A test compares this with what the code imports. */}}
{{- define "footnote.calls" -}}
ingest: {services: [], stores: [postgres, redis, qdrant, objects], keys: true, tokens: true, secrets: [service-secret, credentials-key, otlp-headers]}
retriever: {services: [ingest], stores: [postgres, redis, qdrant], chat: true, keys: true, tokens: true, secrets: [service-secret, reranker-key, otlp-headers]}
agent: {services: [ingest, retriever, resolver], stores: [postgres, redis], chat: true, keys: true, tokens: true, secrets: [service-secret, stream-redis-urls, credentials-key, web-search-key, otlp-headers]}
resolver: {services: [ingest, agent], stores: [postgres, redis], keys: true, tokens: true, secrets: [service-secret, stream-redis-urls, otlp-headers]}
worker: {services: [], stores: [postgres, redis, qdrant, objects], keys: true, secrets: [service-secret, stream-redis-urls, credentials-key, transcribe-api-key, vision-api-key, otlp-headers]}
beat: {services: [], stores: [redis], secrets: []}
migrate: {services: [], stores: [postgres], secrets: []}
{{- end }}

{{/* The workers that there are. One for files that a model hears or sees is for where there is such a model. */}}
{{- define "footnote.workers" -}}
{{- $asks := or (hasKey .Values.settings "FOOTNOTE_TRANSCRIBE_MODEL") (hasKey .Values.settings "FOOTNOTE_VISION_MODEL") }}
{{- $found := dict }}
{{- range $worker, $plan := .Values.workers }}
{{- if or $asks (ne (join "," $plan.queues) "media") }}{{ $_ := set $found $worker $plan }}{{ end }}
{{- end }}
{{- toYaml $found }}
{{- end }}

{{- define "footnote.ports" -}}
{postgres: 5432, redis: 6379, qdrant: 6333, objects: 9000}
{{- end }}

{{- define "footnote.waitsForSchema" -}}
{{- if or .Values.bundled.postgres .Values.secrets.externalSecret.enabled }}true{{ end }}
{{- end }}

{{/* Keys of the Secret and the settings that they hold. A test compares this with the settings. */}}
{{- define "footnote.secretSettings" -}}
database-url: FOOTNOTE_DATABASE_URL
redis-url: FOOTNOTE_REDIS_URL
stream-redis-urls: FOOTNOTE_STREAM_REDIS_URLS
blob-options: FOOTNOTE_BLOB_OPTIONS
service-secret: FOOTNOTE_SERVICE_SECRET
qdrant-api-key: FOOTNOTE_QDRANT_API_KEY
credentials-key: FOOTNOTE_CREDENTIALS_KEY
chat-api-key: FOOTNOTE_CHAT_API_KEY
chat-fallbacks: FOOTNOTE_CHAT_FALLBACKS
fast-api-key: FOOTNOTE_FAST_API_KEY
transcribe-api-key: FOOTNOTE_TRANSCRIBE_API_KEY
vision-api-key: FOOTNOTE_VISION_API_KEY
reranker-key: FOOTNOTE_RERANKER_HTTP_KEY
web-search-key: FOOTNOTE_WEB_SEARCH_KEY
master-key: FOOTNOTE_MASTER_KEY
vault-token: FOOTNOTE_VAULT_TOKEN
otlp-headers: FOOTNOTE_OTLP_HEADERS
{{- end }}

{{/* The keys of the Secret that a role is given, as a list: those of what it reaches. `root`, `role`; `queues` of a worker. */}}
{{- define "footnote.secretKeys" -}}
{{- $values := .root.Values }}
{{- $call := get (include "footnote.calls" .root | fromYaml) .role }}
{{- $needed := $call.secrets }}
{{- $ofStore := dict "postgres" "database-url" "redis" "redis-url" "qdrant" "qdrant-api-key" "objects" "blob-options" }}
{{- range $call.stores }}{{ $needed = append $needed (get $ofStore .) }}{{ end }}
{{- /* The container that waits for the schema asks the database. */}}
{{- if include "footnote.waitsForSchema" .root }}{{ $needed = append $needed "database-url" }}{{ end }}
{{- if or $call.chat (has "facts" (.queues | default list)) }}
{{- $needed = concat $needed (list "chat-api-key" "chat-fallbacks" "fast-api-key") }}
{{- end }}
{{- if $call.keys }}{{ $needed = concat $needed (list "master-key" "vault-token") }}{{ end }}
{{- $there := concat (list "database-url" "redis-url" "blob-options" "service-secret") $values.secrets.optional }}
{{- if $values.bundled.qdrant }}{{ $there = append $there "qdrant-api-key" }}{{ end }}
{{- if $values.encryption.enabled }}
{{- $there = append $there ($values.encryption.vaultKey | empty | ternary "master-key" "vault-token") }}
{{- end }}
{{- $given := list }}
{{- range uniq $there }}{{ if has . $needed }}{{ $given = append $given . }}{{ end }}{{ end }}
{{- toJson $given }}
{{- end }}

{{/* A volume with some keys of the Secret, each a file that nobody else in the pod may read. `root`, `keys`. */}}
{{- define "footnote.secretVolume" -}}
- name: secrets
  secret:
    secretName: {{ .root.Values.secrets.existingSecret }}
    defaultMode: 0440
    items:
    {{- range .keys }}
    - {key: {{ . }}, path: {{ . }}}
    {{- end }}
{{- end }}

{{- define "footnote.mounts" -}}
[{name: data, mountPath: /data}, {name: tmp, mountPath: /tmp}, {name: secrets, mountPath: /run/secrets/footnote, readOnly: true}]
{{- end }}

{{/* All settings of a role. `root`, `role`; `queues` of a worker. */}}
{{- define "footnote.env" -}}
{{- $own := include "footnote.ownEnv" .root }}
{{- $settings := include "footnote.secretSettings" .root | fromYaml }}
{{- range include "footnote.secretKeys" . | fromJsonArray }}
- {name: {{ get $settings . }}_FILE, value: /run/secrets/footnote/{{ . }}}
{{- end }}
{{- $own }}
{{- range $setting, $value := .root.Values.settings }}
{{- if contains (printf "{name: %s," $setting) $own }}
{{- fail (printf "settings.%s: the chart sets this one itself, by a value of its own." $setting) }}
{{- end }}
{{- if has (trimSuffix "_FILE" $setting) (values $settings) }}
{{- fail (printf "settings.%s: a secret comes from the Secret. Name its key in secrets.optional." $setting) }}
{{- end }}
- {name: {{ $setting }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{/* The settings that follow from values of the chart. */}}
{{- define "footnote.ownEnv" -}}
{{- $name := include "footnote.name" . }}
- {name: FOOTNOTE_QDRANT_URL, value: {{ .Values.bundled.qdrant | ternary (printf "http://%s-qdrant:6333" $name) .Values.stores.qdrantUrl | quote }}}
- {name: FOOTNOTE_BLOB_URL, value: {{ .Values.stores.blobUrl | quote }}}
- {name: FOOTNOTE_HOST, value: 0.0.0.0}
- {name: FOOTNOTE_DATA, value: /data}
{{- if not (hasKey .Values.settings "FOOTNOTE_LOG_FORMAT") }}
- {name: FOOTNOTE_LOG_FORMAT, value: json}
{{- end }}
- {name: FOOTNOTE_NEIGHBOUR_PORT, value: "8100"}
- {name: FOOTNOTE_WORKER_METRICS_PORT, value: "9100"}
{{- range $service, $_ := .Values.services }}
- {name: FOOTNOTE_{{ $service | upper }}_URL, value: "http://{{ $name }}-{{ $service }}:8100"}
{{- end }}
{{- with .Values.operatorWorkspace }}
- {name: FOOTNOTE_OPERATOR_WORKSPACE, value: {{ . | quote }}}
{{- end }}
{{- if .Values.encryption.enabled }}
- {name: FOOTNOTE_ENCRYPTION, value: "true"}
{{- with .Values.encryption.vaultKey }}
- {name: FOOTNOTE_MASTER_KEY_VAULT, value: {{ . | quote }}}
{{- end }}
{{- end }}
{{- with .Values.traces.endpoint }}
- {name: FOOTNOTE_OTLP_ENDPOINT, value: {{ . | quote }}}
- {name: FOOTNOTE_TRACE_SHARE, value: {{ $.Values.traces.share | quote }}}
{{- end }}
{{- with .Values.chunkPolicies }}
- {name: FOOTNOTE_CHUNK_POLICIES, value: {{ toJson . | quote }}}
{{- end }}
{{- if .Values.userTokens.jwksUrl }}
{{- range $value, $setting := dict "jwksUrl" "JWKS_URL" "issuer" "ISSUER" "audience" "AUDIENCE" "workspace" "WORKSPACE" "workspaceClaim" "WORKSPACE_CLAIM" "avatarClaim" "AVATAR_CLAIM" "groupsClaim" "GROUPS_CLAIM" "scopesClaim" "SCOPES_CLAIM" "scopesPrefix" "SCOPES_PREFIX" }}
{{- with get $.Values.userTokens $value }}
- {name: FOOTNOTE_JWT_{{ $setting }}, value: {{ . | quote }}}
{{- end }}
{{- end }}
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
{{ include "footnote.placement" . }}
{{- end }}

{{/* Where a pod may run, and with which secrets its image is fetched. */}}
{{- define "footnote.placement" -}}
imagePullSecrets:{{ if not .Values.image.pullSecrets }} []{{ end }}
{{- range .Values.image.pullSecrets }}
- name: {{ . }}
{{- end }}
nodeSelector: {{ toJson .Values.nodeSelector }}
tolerations: {{ toJson .Values.tolerations }}
{{- end }}

{{- define "footnote.containerSecurity" -}}
{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
{{- end }}

{{/* Everything of a pod but its container. `component`, `root`, `role`; `queues` of a worker. */}}
{{- define "footnote.podSpec" -}}
{{- include "footnote.podSecurity" .root }}
{{- /* A service takes requests for twice FOOTNOTE_DRAIN_S at most, and then ends those in hand. */}}
{{- $takes := mul 2 (get .root.Values.settings "FOOTNOTE_DRAIN_S" | default "10" | float64 | ceil) }}
{{- $ends := get .root.Values.settings "FOOTNOTE_REQUESTS_END_S" | default "15" | int }}
{{- $needed := add $takes $ends 5 }}
{{- if lt (int .root.Values.terminationGraceSeconds) (int $needed) }}
{{- fail (printf "terminationGraceSeconds: %d seconds are too few for FOOTNOTE_DRAIN_S and FOOTNOTE_REQUESTS_END_S: give at least %d, or requests are cut off." (int .root.Values.terminationGraceSeconds) (int $needed)) }}
{{- end }}
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
{{ include "footnote.secretVolume" (dict "root" .root "keys" (include "footnote.secretKeys" . | fromJsonArray)) }}
{{- if include "footnote.waitsForSchema" .root }}
initContainers:
- name: schema
  image: {{ include "footnote.image" (dict "root" .root "target" "migrate") }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: [sh, -c, "until footnote migrate --check; do sleep 2; done"]
  env: {{- include "footnote.env" . | nindent 2 }}
  securityContext: {{ include "footnote.containerSecurity" .root }}
  resources: {{ toJson .root.Values.migration.resources }}
  volumeMounts: {{ include "footnote.mounts" .root }}
{{- end }}
{{- end }}

{{- define "footnote.metadata" -}}
name: {{ include "footnote.name" .root }}-{{ .component }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "footnote.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
{{- end }}
