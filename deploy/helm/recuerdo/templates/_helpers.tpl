{{- define "recuerdo.name" -}}
{{- if contains "recuerdo" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-recuerdo{{ end -}}
{{- end }}

{{- define "recuerdo.labels" -}}
{{ include "recuerdo.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "recuerdo.selector" -}}
app.kubernetes.io/name: recuerdo
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "recuerdo.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "recuerdo.serviceAccount" -}}
{{ if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "recuerdo.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "recuerdo.fromSecret" -}}
valueFrom: { secretKeyRef: { name: {{ .name | quote }}, key: {{ .key | quote }} } }
{{- end }}

{{/* The part that all pods share: user, places, volumes. */}}
{{- define "recuerdo.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
{{- end }}

{{/* The part that all containers share: image, rights, folders. */}}
{{- define "recuerdo.container" -}}
image: {{ include "recuerdo.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{/* The settings of servers and workers. */}}
{{- define "recuerdo.env" -}}
- name: RECUERDO_DATABASE_URL
  {{ include "recuerdo.fromSecret" (dict "name" .Values.secret.name "key" .Values.secret.databaseUrl) }}
{{- with .Values.secret.cacheUrl }}
- name: RECUERDO_CACHE_URL
  {{ include "recuerdo.fromSecret" (dict "name" $.Values.secret.name "key" .) }}
{{- end }}
{{- with .Values.secret.modelApiKey }}
- name: RECUERDO_MODEL_API_KEY
  {{ include "recuerdo.fromSecret" (dict "name" $.Values.secret.name "key" .) }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
