import { useSignal } from '@preact/signals'
import { fillPath } from '@apprentice/contracts/client.ts'
import {
  type DeviceRecording,
  exportRecording,
  listRecordings,
  type RecordingStep,
  recordingSteps,
  startRecording,
  stopRecording,
} from '@apprentice/contracts/devices/recording.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { formatDateTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { formatName, t } from '../text/text.ts'

const PAGE_SIZE = 10

/** Records the actions on a phone, and lists earlier recordings with their steps. */
export function Recordings({ serial }: { readonly serial: string }) {
  const params = { serial }
  const { data, reload } = useResource(
    `recordings/${serial}`,
    () => call(listRecordings, { params, query: { page_size: PAGE_SIZE } }),
    { changesWith: ['recording.', 'execution.'], pollMs: 10_000 },
  )
  const recordings = data.value?.recordings ?? []
  const current = recordings.find(({ state }) => state === 'recording')
  const stop = (recordingId: string) => attempt(() => call(stopRecording, { params: { serial, recordingId } }), reload)
  return (
    <section class="panel recordings">
      <h2>{t.recordings.title}</h2>
      <div class="buttons">
        {current === undefined ? (
          <button type="button" onClick={() => void attempt(() => call(startRecording, { params, body: {} }), reload)}>
            {t.recordings.start}
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => void stop(current.recording_id)}>
            {t.recordings.stop}
          </button>
        )}
      </div>
      {data.value !== undefined && recordings.length === 0 && <p class="hint">{t.recordings.none}</p>}
      <ul class="plain">
        {recordings.map((recording) => (
          <Row key={recording.recording_id} recording={recording} />
        ))}
      </ul>
    </section>
  )
}

function Row({ recording }: { readonly recording: DeviceRecording }) {
  const { recording_id, serial, source, state, event_count, started_at } = recording
  const isOpen = useSignal(false)
  const time = formatDateTime(started_at)
  const params = { serial, recordingId: recording_id }
  return (
    <li>
      <StateBadge state={state} /> <Time at={started_at} /> <small>{t.recordings.events(event_count)}</small>{' '}
      <small>{t.recordings.sources[source]}</small>
      {state === 'stopped' && (
        <>
          <a
            class="button small"
            aria-label={t.recordings.downloadOf(time)}
            href={`${fillPath(exportRecording.url, params)}?redact=true`}
            download={`recording-${recording_id}.json`}
          >
            <Icon name="download" size={14} /> {t.recordings.download}
          </a>
          <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
            <summary>{t.recordings.stepsOf(time)}</summary>
            {isOpen.value && <Steps serial={serial} recordingId={recording_id} />}
          </details>
        </>
      )}
    </li>
  )
}

function Steps(params: { readonly serial: string; readonly recordingId: string }) {
  const { data, failure } = useResource(params.recordingId, () =>
    call(recordingSteps, { params, query: { mode: 'full' } }),
  )
  if (failure.value !== undefined) return <p class="error">{failure.value}</p>
  if (data.value === undefined) return <Skeleton />
  if (data.value.steps.length === 0) return <p class="hint">{t.recordings.noSteps}</p>
  return (
    <ol>
      {data.value.steps.map((step) => (
        <li key={step.seq}>{describeStep(step)}</li>
      ))}
    </ol>
  )
}

/** The target as a person knows it: its text, its description, or the last part of its id. */
function describeStep(step: RecordingStep): string {
  const name = formatName(step.type)
  if (step.type === 'press_key') return `${name}: ${step.key}`
  if (step.type === 'open_app') return `${name}: ${step.packageName}`
  if (step.type === 'enter_text') return `${name}: ${step.text}`
  const id = step.resourceId?.split('/').at(-1)
  const target = step.type === 'click' ? (step.text ?? step.contentDesc ?? id) : id
  return target === undefined || target === null ? name : `${name}: ${target}`
}
