import { type UiNode, attribute } from '../hierarchy.ts'
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

/** Compares the first word: the panel asks about cancelling if it says "cancel" too. */
function isAskedAbout(text: string, question: string): boolean {
  const word = findPhrase(text, 'dismiss')?.split(' ')[0]
  if (word === undefined || !ACTION_WORDS.has(word)) return false
  return question.toLowerCase().includes(word)
}

/** Words that also name an action on what a person owns. */
const ACTION_WORDS: ReadonlySet<string> = new Set(
  `cancel close skip hide decline abbrechen schließen ausblenden ablehnen annuler fermer refuser masquer cancelar cerrar
  ocultar rechazar annulla chiudi rifiuta nascondi fechar recusar annuleren sluiten weigeren anuluj zamknij odrzuć avbryt
  stäng avvisa iptal kapat reddet отмена отменить закрыть отклонить キャンセル 取消 关闭 關閉 拒绝 취소 닫기 거절 إلغاء إغلاق رفض`.split(
    /\s+/,
  ),
)

function isPermissionDenial(node: UiNode): boolean {
  const isPermission = /permissioncontroller|packageinstaller/.test(attribute(node, 'package'))
  return isPermission && /(?:^|_)deny_button$/.test(readEntryName(node))
}

const DISMISS_ID = /(?:^|_)(?:close|dismiss|skip|cancel|not_now|later|exit_button)(?:_|$)/
const AGREE_ID = /(?:^|_)(?:account|app|order|subscription|all|and)(?:_|$)/
