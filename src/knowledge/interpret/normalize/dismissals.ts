import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute } from '../../../screen/hierarchy.ts'
import type { Dismissal } from '../read/normalized-run.ts'
import { literal } from '../read/matching.ts'
import type { ScreenView } from '../read/selectors.ts'
import { canBeStructural } from '../read/structural-words.ts'
import { resourceId, shownWords } from '../read/words.ts'

/** Windows that were sent away when it was shown, then what can be said to any window that asks. */
export function dismissalsOf(
  seen: readonly Dismissal[],
  { variable_words }: ScreenView,
): RecipeSelector[] {
  const shown = seen.flatMap(({ node }): RecipeSelector[] => {
    const words = shownWords(node)
    if (!canBeStructural(words) || variable_words.has(words)) return []
    const id = resourceId(node)
    const shape = id === '' ? { class: attribute(node, 'class') } : { resource_id: id }
    return [{ ...shape, text_equals: literal(words), annotation: 'STRUCTURAL' }]
  })
  const distinct = new Map([...shown, ...POLITE].map((one) => [JSON.stringify(one), one]))
  return [...distinct.values()].slice(0, MAX_DISMISSALS)
}

const MAX_DISMISSALS = 10

/** Putting something off agrees to nothing. */
const POLITE: readonly RecipeSelector[] = [
  'Not now',
  'Later',
  'No thanks',
  'Maybe later',
  'Remind me later',
  'NOT NOW',
  'LATER',
  'NO THANKS',
].map((words) => ({
  class: 'android.widget.Button',
  text_equals: words,
  annotation: 'STRUCTURAL' as const,
}))
