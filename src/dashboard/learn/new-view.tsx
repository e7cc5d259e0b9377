import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { EntryMode } from '@apprentice/contracts/learn/session.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { FoundWorkflows } from './found-workflows.tsx'
import { PastRuns } from './past-runs.tsx'
import { SetupForm } from './setup-form.tsx'

const CARDS: readonly EntryMode[] = [
  'demonstrating_skill',
  'coaching_agent',
  'autonomous_agent_practice',
  'improving_existing_skill',
  'import_skill',
]

/** The five ways to a new ability. Shortcuts of other pages choose one and fill its form: see `shortcuts.ts`. */
export function NewView() {
  const { route, query } = useLocation()
  const given = CARDS.find((mode) => mode === query['mode'])
  const chosen = useSignal<EntryMode | undefined>(given)
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
      {chosen.value !== undefined && <SetupForm key={chosen.value} mode={chosen.value} given={query} />}
      <details class="from-runs" open={query['execution'] !== undefined}>
        <summary>{t.teach.past.show}</summary>
        <div class="grid">
          <PastRuns preselected={query['execution']} />
          <FoundWorkflows />
        </div>
      </details>
    </>
  )
}
