import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'

const MASK = '•••'

/** Masks typed texts wherever they occur, and titles of windows. Empty texts stay empty. */
export function redactEvents(events: readonly RecordingEvent[]): readonly RecordingEvent[] {
  const typed = listTypedTexts(events)
  return events.map((event): RecordingEvent => {
    switch (event.type) {
      case 'window_change':
        return { ...event, title: maskText(event.title ?? null) }
      case 'text_change':
        return { ...event, text: event.text === '' ? '' : MASK }
      case 'click': {
        const text = maskTyped(event.text, typed)
        return { ...event, text, contentDesc: maskTyped(event.contentDesc, typed) }
      }
      case 'scroll':
      case 'press_key':
        return event
    }
  })
}

/** The longest first, so that a text is masked before a part of it. */
function listTypedTexts(events: readonly RecordingEvent[]): readonly string[] {
  const texts = events.flatMap((event) => (event.type === 'text_change' ? [event.text.trim()] : []))
  return [...new Set(texts)].filter((text) => text !== '').toSorted((a, b) => b.length - a.length)
}

function maskText(text: string | null): string | null {
  return text === null || text === '' ? text : MASK
}

/** A text of less than four characters is masked only as a whole word. */
function maskTyped(label: string | null, typed: readonly string[]): string | null {
  let masked = label
  for (const text of typed) {
    if (masked === null) return null
    const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    const wholeWord = String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
    masked = masked.replaceAll(new RegExp(text.length >= 4 ? escaped : wholeWord, 'gu'), MASK)
  }
  return masked
}
