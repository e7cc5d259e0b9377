import type {
  ExportedEvent,
  RecordingEvent,
  RecordingExport,
  SnapshotMode,
} from '@apprentice/contracts/devices/recording.ts'
import { redactEvents } from './export-redaction.ts'
import { sortEvents, type Recording, readSnapshot } from './ndjson.ts'

export interface ExportOptions {
  readonly snapshots?: SnapshotMode
  /** Masks typed texts and titles of windows, and omits all trees, because trees contain both. */
  readonly redact?: boolean
}

/** The export of a recording. The order of its keys is part of the format. */
export function exportRecording(
  recording: Recording,
  { snapshots = 'omit', redact = false }: ExportOptions = {},
): RecordingExport {
  const { sessionId, schemaVersion, startedAt, operatorPackage } = recording.header
  const snapshotMode = redact ? 'omit' : snapshots
  const ordered = sortEvents(recording)
  const events = redact ? redactEvents(ordered) : ordered
  return {
    exportVersion: 1,
    session: { sessionId, schemaVersion, startedAt, operatorPackage },
    snapshotMode,
    events: events.map((event, index) => toExportedEvent(event, events[index - 1], snapshotMode)),
    counts: { totalEvents: events.length, byType: countByType(events) },
    packageTransitions: listTransitions(events),
    timeline: toTimeline(events),
  }
}

function toExportedEvent(
  event: RecordingEvent,
  previous: RecordingEvent | undefined,
  mode: SnapshotMode,
): ExportedEvent {
  const { seq, ts } = event
  const deltaMsSincePrevious = previous === undefined ? null : ts - previous.ts
  const xml = readSnapshot(event)
  const position = { seq, ts, deltaMsSincePrevious }
  const snapshot = { present: xml !== null, xml: mode === 'include' ? xml : null }
  switch (event.type) {
    case 'window_change': {
      const { type, packageName, className = null, title = null } = event
      return { ...position, type, packageName, className, title, snapshot }
    }
    case 'click': {
      const { type, packageName, resourceId, text, contentDesc } = event
      const { left, top, right, bottom } = event.bounds
      const bounds = { left, top, right, bottom }
      return { ...position, type, packageName, resourceId, text, contentDesc, bounds, snapshot }
    }
    case 'scroll': {
      const { type, packageName, resourceId, scrollX, scrollY, maxScrollX, maxScrollY } = event
      const scroll = { scrollX, scrollY, maxScrollX, maxScrollY }
      return { ...position, type, packageName, resourceId, ...scroll, snapshot }
    }
    case 'press_key':
      return { ...position, type: event.type, key: event.key, snapshot }
    case 'text_change': {
      const { type, packageName, resourceId, text } = event
      return { ...position, type, packageName, resourceId, text, snapshot }
    }
  }
}

/** In the order in which the types first appear. */
function countByType(events: readonly RecordingEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

/** Changes of the package between consecutive events. Key presses have no package; an empty one counts. */
function listTransitions(events: readonly RecordingEvent[]): RecordingExport['packageTransitions'] {
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

function toTimeline(events: readonly RecordingEvent[]): RecordingExport['timeline'] {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) {
    return { firstEventTs: null, lastEventTs: null, durationMs: null }
  }
  return { firstEventTs: first.ts, lastEventTs: last.ts, durationMs: last.ts - first.ts }
}
