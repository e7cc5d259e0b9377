import { signal } from '@preact/signals'
import { readMessage } from '../api/client.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'bad' | 'good'
}

const DISPLAY_MS = 12_000
const notices = signal<readonly Notice[]>([])
let nextId = 1

export function notify(text: string, tone: Notice['tone'] = 'good'): void {
  const id = nextId
  nextId += 1
  notices.value = [...notices.value, { id, text, tone }]
  setTimeout(() => dismiss(id), DISPLAY_MS)
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/**
 * Does something the person asked for, then reads again what it may have changed. A failure is displayed. Returns
 * whether it succeeded.
 */
export async function attempt(work: () => Promise<unknown>, readAgain?: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    notify(readMessage(error), 'bad')
    return false
  } finally {
    await readAgain?.()
  }
}

export function Notices() {
  return (
    <div class="notices" role="alert">
      {notices.value.map(({ id, text, tone }) => (
        <div key={id} class={`notice ${tone}`}>
          <Icon name={tone === 'bad' ? 'alert' : 'check'} />
          <p>{text}</p>
          <button type="button" class="quiet" aria-label={t.common.dismiss} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
