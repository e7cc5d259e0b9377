import type {
  ExportedEvent,
  RecordingEvent,
  RecordingExport,
  SnapshotMode,
} from '@apprentice/contracts/devices/recording.ts'
import { redactEvents } from './export-redaction.ts'
import { eventsInOrder, type Recording, snapshotOf } from './ndjson.ts'

export interface ExportOptions {
  readonly snapshots?: SnapshotMode
  /** Masks what was typed and the titles of windows, and leaves every tree out: trees hold both. */
  readonly redact?: boolean
}

/** The durable form of a recording; its keys stand in the order its readers expect. */
export function exportRecording(
  recording: Recording,
  { snapshots = 'omit', redact = false }: ExportOptions = {},
): RecordingExport {
  const { sessionId, schemaVersion, startedAt, operatorPackage } = recording.header
  const snapshotMode = redact ? 'omit' : snapshots
  const ordered = eventsInOrder(recording)
  const events = redact ? redactEvents(ordered) : ordered
  return {
    exportVersion: 1,
    session: { sessionId, schemaVersion, startedAt, operatorPackage },
    snapshotMode,
    events: events.map((event, index) => exportEvent(event, events[index - 1], snapshotMode)),
    counts: { totalEvents: events.length, byType: countByType(events) },
    packageTransitions: transitionsOf(events),
    timeline: timelineOf(events),
  }
}

function exportEvent(
  event: RecordingEvent,
  previous: RecordingEvent | undefined,
  mode: SnapshotMode,
): ExportedEvent {
  const { seq, ts } = event
  const deltaMsSincePrevious = previous === undefined ? null : ts - previous.ts
  const xml = snapshotOf(event)
  const marks = { seq, ts, deltaMsSincePrevious }
  const snapshot = { present: xml !== null, xml: mode === 'include' ? xml : null }
  switch (event.type) {
    case 'window_change': {
      const { type, packageName, className = null, title = null } = event
      return { ...marks, type, packageName, className, title, snapshot }
    }
    case 'click': {
      const { type, packageName, resourceId, text, contentDesc } = event
      const { left, top, right, bottom } = event.bounds
      const bounds = { left, top, right, bottom }
      return { ...marks, type, packageName, resourceId, text, contentDesc, bounds, snapshot }
    }
    case 'scroll': {
      const { type, packageName, resourceId, scrollX, scrollY, maxScrollX, maxScrollY } = event
      const position = { scrollX, scrollY, maxScrollX, maxScrollY }
      return { ...marks, type, packageName, resourceId, ...position, snapshot }
    }
    case 'press_key':
      return { ...marks, type: event.type, key: event.key, snapshot }
    case 'text_change': {
      const { type, packageName, resourceId, text } = event
      return { ...marks, type, packageName, resourceId, text, snapshot }
    }
  }
}

/** In the order in which the types first appear. */
function countByType(events: readonly RecordingEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

/** Between neighbours that name a package; a key press names none, an empty name is a name. */
function transitionsOf(events: readonly RecordingEvent[]): RecordingExport['packageTransitions'] {
  const transitions: RecordingExport['packageTransitions'] = []
  let fromPackageName: string | undefined
  for (const event of events) {
    if (event.type === 'press_key') continue
    const { seq, ts, packageName: toPackageName } = event
    if (fromPackageName !== undefined && fromPackageName !== toPackageName) {
      transitions.push({ seq, ts, fromPackageName, toPackageName })
    }
    fromPackageName = toPackageName
  }
  return transitions
}

function timelineOf(events: readonly RecordingEvent[]): RecordingExport['timeline'] {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) {
    return { firstEventTs: null, lastEventTs: null, durationMs: null }
  }
  return { firstEventTs: first.ts, lastEventTs: last.ts, durationMs: last.ts - first.ts }
}
