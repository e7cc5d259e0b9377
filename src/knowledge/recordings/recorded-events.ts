import type { BaselineCheckpoint } from '@apprentice/contracts/devices/compare.ts'
import type { ExportedEvent } from '@apprentice/contracts/devices/recording.ts'

/** A checkpoint of the recording, with the words that name it where its id is made up. */
export interface FoundCheckpoint extends BaselineCheckpoint {
  readonly words?: readonly string[]
}

export function checkpointOf(id: string, event: ExportedEvent): BaselineCheckpoint {
  return {
    id,
    expectedStatus: 'ok',
    sourceEventSeq: event.seq,
    eventType: event.type,
    summary: summaryOf(event),
  }
}

function summaryOf(event: ExportedEvent): string {
  switch (event.type) {
    case 'window_change':
      return `window_change:${event.packageName}`
    case 'click':
      return `click:${event.packageName}:${labelOf(event)?.toLowerCase() ?? `seq-${event.seq}`}`
    case 'text_change':
      return `text_change:${event.packageName}:${event.resourceId ?? `seq-${event.seq}`}`
    case 'scroll':
      return `scroll:${event.packageName}:${event.resourceId ?? 'unknown'}`
    case 'press_key':
      return `press_key:${event.key}`
  }
}

export function labelOf(click: ExportedEvent & { readonly type: 'click' }): string | undefined {
  return click.text ?? click.contentDesc ?? click.resourceId ?? undefined
}

export function packageOf(event: ExportedEvent): string {
  return event.type === 'press_key' ? '' : event.packageName
}

export function resourceOf(event: ExportedEvent): string | null {
  return 'resourceId' in event ? event.resourceId : null
}

/** All an event says, in lower case. */
export function wordsOf(event: ExportedEvent): string {
  const said =
    event.type === 'click'
      ? [event.text, event.contentDesc, event.resourceId]
      : event.type === 'window_change'
        ? [event.title, event.className]
        : event.type === 'text_change'
          ? [event.text, event.resourceId]
          : [resourceOf(event)]
  return said
    .filter((one) => one !== null)
    .join('\n')
    .toLowerCase()
}
