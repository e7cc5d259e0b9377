import { isTrue, type UiNode } from '../../screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow, matchTarget } from '../../screen/matcher.ts'
import { readOwnTexts } from '../../screen/obstruction/panel.ts'
import { hasMeaning } from '../../screen/words/words.ts'
import type { Expect } from './claims.ts'
import type { EngineExecution } from './engine-execution.ts'
import { maskLabel } from './run-history.ts'
import type { ScreenReading } from './screen-reading.ts'

/**
 * The message that an action expects, if the app speaks another language: a text that the last touch brought, that shows
 * the same values, and that says nothing of a failure. It proves nothing by itself; what was done is looked at after it.
 */
export function findForeignMessage(
  { language, history, given }: Pick<EngineExecution, 'language' | 'history' | 'given'>,
  { hierarchy }: ScreenReading,
  { matcher, present, added }: Expect,
): string | undefined {
  if (language !== 'foreign' || !present || added !== true) return undefined
  const { shows, showsTogether, class: type } = matcher
  const value = { ...(shows !== undefined && { shows }), ...(showsTogether !== undefined && { showsTogether }) }
  const showing = matchTarget(hierarchy, { matcher: { ...value, class: type } })
  const nodes =
    shows === undefined && showsTogether === undefined
      ? collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy)).filter((node) => isPlainText(node, type))
      : showing.kind === 'found'
        ? showing.nodes
        : []
  const isNew = (text: string): boolean => {
    const masked = maskLabel(text)
    return (
      !history.atStart.has(masked) && ![...history.earlierLabels, history.beforeLast].some((one) => one.has(masked))
    )
  }
  return nodes
    .flatMap(readOwnTexts)
    .find(
      (text) => isNew(text) && !isGiven(text, given) && !hasMeaning(text, 'failure') && !hasMeaning(text, 'offline'),
    )
}

const isPlainText = (node: UiNode, type: string | undefined): boolean =>
  node.children.length === 0 && !isTrue(node, 'clickable') && (type === undefined || node.attributes['class'] === type)

/** What the run typed or looked for is no message, although it may be new on the screen. */
const isGiven = (text: string, given: readonly string[]): boolean =>
  given.some((one) => maskLabel(one) === maskLabel(text))
