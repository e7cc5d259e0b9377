import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { EntryMode } from '@apprentice/contracts/learn/session.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { SetupForm } from './setup-form.tsx'

const CARDS: readonly EntryMode[] = [
  'demonstrating_skill',
  'coaching_agent',
  'autonomous_agent_practice',
  'improving_existing_skill',
  'import_skill',
]

/** The five ways to a new ability. */
export function NewView() {
  const chosen = useSignal<EntryMode | undefined>(undefined)
  const { route } = useLocation()
  const choose = (mode: EntryMode): void => {
    if (mode === 'import_skill') route('/import')
    else chosen.value = mode
  }
  return (
    <>
      <h2>{t.learn.createBy}</h2>
      <div class="cards">
        {CARDS.map((mode) => (
          <button
            key={mode}
            type="button"
            class="card"
            aria-pressed={chosen.value === mode}
            onClick={() => choose(mode)}
          >
            <strong>{t.learn.modes[mode]}</strong>
            <span>{t.learn.modeHints[mode]}</span>
            <Icon name="next" />
          </button>
        ))}
      </div>
      {chosen.value !== undefined && <SetupForm key={chosen.value} mode={chosen.value} />}
    </>
  )
}
