import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute } from '../../../screen/tree/hierarchy.ts'
import type { Dismissal } from '../read/normalized-trace.ts'
import { escapeReferences } from '../read/matching.ts'
import type { ScreenView } from '../read/selectors.ts'
import { isStructuralText } from '../read/structural-text.ts'
import { resourceId, readText } from '../read/node-text.ts'

/** Buttons that close windows: those of the demonstration, then common ones that postpone a question. */
export function draftDismissals(
  dismissals: readonly Dismissal[],
  { variable_texts, isOfApp }: ScreenView,
): RecipeSelector[] {
  const demonstrated = dismissals.flatMap(({ node }): RecipeSelector[] => {
    const text = readText(node)
    if (!isStructuralText(text) || variable_texts.has(text) || !isOfApp(text)) return []
    const id = resourceId(node)
    const shape = id === '' ? { class: attribute(node, 'class') } : { resource_id: id }
    return [{ ...shape, text_equals: escapeReferences(text), annotation: 'STRUCTURAL' }]
  })
  const distinct = new Map([...demonstrated, ...POSTPONE_BUTTONS].map((one) => [JSON.stringify(one), one]))
  return [...distinct.values()].slice(0, MAX_DISMISSALS)
}

const MAX_DISMISSALS = 10

/** They confirm nothing. */
const POSTPONE_BUTTONS: readonly RecipeSelector[] = [
  'Not now',
  'Later',
  'No thanks',
  'Maybe later',
  'Remind me later',
  'NOT NOW',
  'LATER',
  'NO THANKS',
].map((text) => ({
  class: 'android.widget.Button',
  text_equals: text,
  annotation: 'STRUCTURAL' as const,
}))
