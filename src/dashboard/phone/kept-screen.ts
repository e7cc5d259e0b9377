import { getEvidence } from '@apprentice/contracts/devices/device.ts'
import { call } from '../api/client.ts'

/** One element of a stored screen, in pixels. */
export interface KeptElement {
  readonly text: string
  readonly kind: 'text' | 'button' | 'field' | 'image' | 'switch'
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const MAX_SCREENS = 80
const screens = new Map<string, Promise<readonly KeptElement[]>>()

/** Reads a stored screen once. Pages draw it, because pictures would show what the daemon must not store. */
export function readKeptScreen(evidenceId: string): Promise<readonly KeptElement[]> {
  const known = screens.get(evidenceId)
  if (known !== undefined) return known
  const reading = call.download(getEvidence, { params: { evidenceId } }).then(({ bytes }) => parseScreen(bytes))
  screens.set(evidenceId, reading)
  reading.catch(() => screens.delete(evidenceId))
  for (const old of screens.keys()) {
    if (screens.size <= MAX_SCREENS) break
    screens.delete(old)
  }
  return reading
}

function parseScreen(bytes: Uint8Array): readonly KeptElement[] {
  const xml = new DOMParser().parseFromString(new TextDecoder().decode(bytes), 'application/xml')
  return [...xml.querySelectorAll('[bounds]')].flatMap(toElement)
}

/** Elements without a text are drawn only if they can be used. */
function toElement(node: Element): KeptElement[] {
  const read = (name: string): string => node.getAttribute(name) ?? ''
  const [left = 0, top = 0, right = 0, bottom = 0] = (read('bounds').match(/-?\d+/g) ?? []).map(Number)
  const kind = readKind(read('class'), read('clickable') === 'true')
  const text = read('text') || (kind === 'image' || node.childElementCount === 0 ? read('content-desc') : '')
  if (right <= left || bottom <= top || (text === '' && kind === 'text')) return []
  return [{ text, kind, left, top, width: right - left, height: bottom - top }]
}

function readKind(type: string, clickable: boolean): KeptElement['kind'] {
  if (/EditText|AutoComplete/.test(type)) return 'field'
  if (/Switch|CheckBox|RadioButton|ToggleButton/.test(type)) return 'switch'
  if (/Image/.test(type)) return 'image'
  return clickable ? 'button' : 'text'
}
