import { type UiNode, attribute } from '../tree/hierarchy.ts'
import { findPhrase, hasMeaning, isOnlyMeaning } from '../words/words.ts'
import { type Panel, type PanelControl, readEntryName, readOwnTexts } from './panel.ts'

/**
 * Finds the control that leaves a panel without agreeing to anything: by its words, its description, or the id of an icon
 * without words. A word that the panel itself asks about is not used: "Cancel" in "Cancel the order?" may be the answer.
 */
export function findDismissControl(panel: Panel): UiNode | undefined {
  const question = panel.texts.join(' ')
  return panel.controls.find((control) => isDismissControl(control, question))?.node
}

/** Whether a control of the panel agrees to something or commits something. */
export function hasAgreeControl({ controls }: Panel): boolean {
  return controls.some(({ label }) => !isOnlyMeaning(label, 'dismiss') && hasMeaning(label, 'agree'))
}

function isDismissControl({ node, label }: PanelControl, question: string): boolean {
  if (label === '') return DISMISS_ID.test(readEntryName(node)) && !AGREE_ID.test(readEntryName(node))
  if (isPermissionDenial(node)) return true
  const says = readControlTexts(node, label)
  if (!says.every((text) => isOnlyMeaning(text, 'dismiss'))) return false
  return !says.some((text) => isAskedAbout(text, question))
}

/** An icon may have a description inside a touchable box; text and description may differ. */
function readControlTexts(node: UiNode, label: string): readonly string[] {
  const own = readOwnTexts(node)
  return own.length === 0 ? [label] : own
}

/** The panel asks about cancelling if it contains the word "cancel" or a form of it. Endings vary, so stems are compared. */
function isAskedAbout(text: string, question: string): boolean {
  const [word = '', ...more] = findPhrase(text, 'dismiss')?.split(' ') ?? []
  if (word === '' || more.length > 0) return false
  const length = JOINED_SCRIPT.test(word) ? JOINED_STEM : Math.max(MIN_STEM, word.length - 2)
  return question.toLowerCase().includes(word.slice(0, length))
}

const JOINED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const JOINED_STEM = 3
const MIN_STEM = 4

function isPermissionDenial(node: UiNode): boolean {
  const isPermission = /permissioncontroller|packageinstaller/.test(attribute(node, 'package'))
  return isPermission && /(?:^|_)deny_button$/.test(readEntryName(node))
}

const DISMISS_ID = /(?:^|_)(?:close|dismiss|skip|cancel|not_now|later|exit_button)(?:_|$)/
const AGREE_ID = /(?:^|_)(?:account|app|order|subscription|all|and)(?:_|$)/
