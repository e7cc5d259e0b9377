import { signal } from '@preact/signals'
import { readMessage } from '../api/client.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'bad' | 'good'
  readonly undo?: (() => Promise<unknown>) | undefined
}

const DISPLAY_MS = 12_000
const UNDO_MS = 60_000
const notices = signal<readonly Notice[]>([])
let nextId = 1

export const notify = (text: string, tone: Notice['tone'] = 'good'): void => display({ text, tone })

/** Says what was done, with a button that takes it back. */
export const offerUndo = (text: string, undo: () => Promise<unknown>): void => display({ text, tone: 'good', undo })

function display(notice: Omit<Notice, 'id'>): void {
  const id = nextId
  nextId += 1
  notices.value = [...notices.value, { id, ...notice }]
  setTimeout(() => dismiss(id), notice.undo === undefined ? DISPLAY_MS : UNDO_MS)
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
      {notices.value.map(({ id, text, tone, undo }) => (
        <div key={id} class={`notice ${tone}`}>
          <Icon name={tone === 'bad' ? 'alert' : 'check'} />
          <p>{text}</p>
          {undo !== undefined && (
            <button
              type="button"
              onClick={() => {
                dismiss(id)
                void attempt(undo)
              }}
            >
              {t.common.undo}
            </button>
          )}
          <button type="button" class="quiet" aria-label={t.common.dismiss} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
