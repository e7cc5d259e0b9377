import type { Signal } from '@preact/signals'
import type { ScreenElement } from '@apprentice/contracts/devices/screen.ts'
import {
  deleteElementMark,
  type ElementMarkKind,
  listElementMarks,
  markElement,
} from '@apprentice/contracts/learn/elements.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { findCentre } from '../phone/elements.ts'
import { t } from '../text/text.ts'

/** While set, the next click on the phone chooses an element. */
export interface PointingState {
  readonly kind: ElementMarkKind
  readonly onElement: (element: ScreenElement) => void
}

const KINDS: readonly ElementMarkKind[] = ['proof', 'output', 'input', 'constant']

interface PointingProps {
  readonly detail: LearnSessionDetail
  readonly pointing: Signal<PointingState | undefined>
  readonly onMarked: () => Promise<void>
}

/** "This proves it", "Return this value" and the like: the person chooses, then clicks an element on the phone. */
export function Pointing({ detail, pointing, onMarked }: PointingProps) {
  const sessionId = detail.session.learn_session_id
  const { data, reload } = useResource(`${sessionId}/marks`, () => call(listElementMarks, { params: { sessionId } }))
  const readAgain = async (): Promise<void> => {
    await Promise.all([reload(), onMarked()])
  }
  const screen = detail.session.state === 'capturing' ? ('now' as const) : ('after' as const)
  const point = (kind: ElementMarkKind): void => {
    if (pointing.value?.kind === kind) {
      pointing.value = undefined
      return
    }
    const onElement = (element: ScreenElement): void => {
      pointing.value = undefined
      const body = { kind, element: { screen, point: findCentre(element) } }
      void attempt(() => call(markElement, { params: { sessionId }, body }), readAgain)
    }
    pointing.value = { kind, onElement }
  }
  return (
    <section class="panel pointing" aria-label={t.pointing.title}>
      <div class="buttons">
        {KINDS.map((kind) => (
          <button key={kind} type="button" aria-pressed={pointing.value?.kind === kind} onClick={() => point(kind)}>
            {t.pointing.kinds[kind]}
          </button>
        ))}
      </div>
      <p class="hint" role="status">
        {pointing.value === undefined ? t.pointing.hint : t.pointing.clickNow}
      </p>
      <ul class="marks">
        {(data.value?.marks ?? []).map(({ mark_id, kind, label, name }) => (
          <li key={mark_id}>
            <Badge>{t.pointing.kinds[kind]}</Badge> {label || name || t.phone.element}
            <button
              type="button"
              class="quiet"
              aria-label={t.pointing.remove(label)}
              onClick={() =>
                void attempt(() => call(deleteElementMark, { params: { sessionId, markId: mark_id } }), readAgain)
              }
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
