{{- define "gitfleet.selector" -}}
app.kubernetes.io/name: gitfleet
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gitfleet.metadata" -}}
name: {{ .Release.Name }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "gitfleet.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}
