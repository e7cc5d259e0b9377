import type { BaselineCheckpoint } from '@apprentice/contracts/devices/compare.ts'
import type { ExportedEvent } from '@apprentice/contracts/devices/recording.ts'

/** A checkpoint of the recording. */
export interface FoundCheckpoint extends BaselineCheckpoint {
  /** The words that a generated id is made of. Absent if the id comes from a map. */
  readonly nameWords?: readonly string[]
}

export function toCheckpoint(id: string, event: ExportedEvent): BaselineCheckpoint {
  return {
    id,
    expectedStatus: 'ok',
    sourceEventSeq: event.seq,
    eventType: event.type,
    summary: formatSummary(event),
  }
}

function formatSummary(event: ExportedEvent): string {
  switch (event.type) {
    case 'window_change':
      return `window_change:${event.packageName}`
    case 'click':
      return `click:${event.packageName}:${readLabel(event)?.toLowerCase() ?? `seq-${event.seq}`}`
    case 'text_change':
      return `text_change:${event.packageName}:${event.resourceId ?? `seq-${event.seq}`}`
    case 'scroll':
      return `scroll:${event.packageName}:${event.resourceId ?? 'unknown'}`
    case 'press_key':
      return `press_key:${event.key}`
  }
}

export function readLabel(click: ExportedEvent & { readonly type: 'click' }): string | undefined {
  return click.text ?? click.contentDesc ?? click.resourceId ?? undefined
}

export function readPackage(event: ExportedEvent): string {
  return event.type === 'press_key' ? '' : event.packageName
}

export function readResourceId(event: ExportedEvent): string | null {
  return 'resourceId' in event ? event.resourceId : null
}

/** All texts of an event in lower case. */
export function collectText(event: ExportedEvent): string {
  const texts =
    event.type === 'click'
      ? [event.text, event.contentDesc, event.resourceId]
      : event.type === 'window_change'
        ? [event.title, event.className]
        : event.type === 'text_change'
          ? [event.text, event.resourceId]
          : [readResourceId(event)]
  return texts
    .filter((one) => one !== null)
    .join('\n')
    .toLowerCase()
}
