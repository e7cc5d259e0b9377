import { classifyRow, findIdentity, findRowAround, findRowByText, type Row } from '../read/rows.ts'
import type { Intent } from '../read/intent.ts'
import { listTextNodes, readText } from '../read/node-text.ts'
import { isSameKind, isSameState, isSameView, readTitle, type Screen } from '../read/screen.ts'

/**
 * Whether a workflow only opens pages although its goal is to do something. Then a step of the demonstration is missing,
 * and the page that was opened proves nothing. Without a goal, opening the page may be all that was meant.
 */
export function lacksTheWork(intents: readonly Intent[], goal: string | undefined): boolean {
  const words = (goal ?? '').toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  if (words.length === 0 || words.some((word) => LOOKING_WORDS.has(word))) return false
  return (
    intents.length > 0 && intents.every((intent, at) => opensPage(intent) && !answers(intent, intents.slice(0, at)))
  )
}

/** Whether the choice of an entry led back to a page that was left before and that shows something else now. */
function answers({ kind, after }: Intent, earlier: readonly Intent[]): boolean {
  if (kind !== 'choose' || after === undefined) return false
  return earlier.some(({ before }) => before !== undefined && isSameView(before, after) && !isSameState(before, after))
}

function opensPage({ kind, gesture, node, before, after, entry }: Intent): boolean {
  if (kind === 'key' || kind === 'scroll' || kind === 'open_app') return true
  if ((kind !== 'choose' && kind !== 'press') || gesture !== 'tap') return false
  if (node === undefined || before === undefined || after === undefined) return false
  if (after.is_dialog || (isSameKind(before, after) && !leavesList(entry?.row, after))) return false
  if (kind === 'choose') return true
  const row = findRowAround(node)
  if (row !== undefined && classifyRow(row) === 'navigation') return true
  const title = readTitle(after)
  return title !== '' && listTextNodes(node).some((one) => readText(one) === title)
}

/** Whether no other entry of the list is shown any more. Pages may have the same frame as lists. */
function leavesList(row: Row | undefined, after: Screen): boolean {
  if (row === undefined) return false
  const others = row.group.members.filter((member) => member !== row.node)
  const names = others.flatMap((member) => findIdentity({ node: member, group: row.group })?.text ?? [])
  return names.length > 0 && names.every((name) => findRowByText(name, after) === undefined)
}

/** Words of goals that a look at a page, or the tap on an entry, reaches. */
const LOOKING_WORDS: ReadonlySet<string> = new Set(
  `open show read check find look see view get tell list go display search browse know watch listen play start call visit
  preview see what which when where how öffne öffnen zeig zeige zeigen lies lesen prüfe prüfen finde finden such suche
  suchen sieh ansehen anzeigen anrufen starten abspielen ouvrir ouvre afficher affiche montrer lire lis vérifier voir
  trouver chercher consulter appeler lancer abrir abre mostrar muestra leer lee ver comprobar buscar consultar encontrar
  llamar iniciar aprire apri mostrare mostra leggere leggi vedere controllare cercare trovare chiamare avviare ler verificar
  procurar ligar openen tonen toon lezen lees bekijk bekijken controleer zoek vind bellen starten`.split(/\s+/),
)
