import type { NormalizedRun, Pruned } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import { joined, type Move } from '../read/move.ts'
import { isSameKind, isTextField } from '../read/screen.ts'
import { idWords, resourceId, shownWords } from '../read/words.ts'

/** Touching a field, typing in bits and pressing Enter are one entry; the last text counts. */
export function joinTyping(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  const moves: Move[] = []
  for (const move of account.moves) {
    const previous = moves.at(-1)
    const one = previous && joinPair(previous, move)
    if (previous === undefined || one === undefined) {
      moves.push(move)
      continue
    }
    moves.pop()
    const drawnFrom = previous.kind === 'type' ? move : previous
    pruned.push(pruning([drawnFrom], 'typing_merged', `One entry into ${fieldName(one)}`))
    moves.push(one)
  }
  return retyped({ ...account, moves, pruned })
}

function joinPair(previous: Move, move: Move): Move | undefined {
  if (previous.kept === true || move.kept === true) return undefined
  if (move.kind === 'type' && isFocusing(previous, move)) {
    return joined([previous, move], { kind: 'type', typed: move.typed })
  }
  if (previous.kind !== 'type' || previous.typed === undefined) return undefined
  if (move.kind === 'key' && move.key === 'enter') {
    return joined([previous, move], { typed: { ...previous.typed, submit: true } })
  }
  if (move.kind !== 'type' || !isSameField(previous, move)) return undefined
  return joined([previous, move], { typed: lastWord(previous, move) })
}

/** The rest of a visit: a field that was typed into again after others keeps its last text. */
function retyped(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  const moves = account.moves.filter((move, at) => {
    if (move.kind !== 'type' || move.kept === true) return true
    const later = account.moves.slice(at + 1)
    const end = later.findIndex(({ kind }) => kind !== 'type')
    const again = (end < 0 ? later : later.slice(0, end)).some((one) => isSameField(move, one))
    if (again) {
      pruned.push(pruning([move], 'typing_merged', `${fieldName(move)} was typed again`))
    }
    return !again
  })
  return { ...account, moves, pruned }
}

function isFocusing({ kind, node, before }: Move, typing: Move): boolean {
  if (kind !== 'press' || node === undefined || !isTextField(node)) return false
  if (before === undefined || typing.before === undefined) return false
  return isSameKind(before, typing.before) && fieldKey(node) === fieldKey(typing.node)
}

function isSameField(one: Move, other: Move): boolean {
  if (one.node === undefined || other.node === undefined) return false
  if (one.before !== undefined && other.before !== undefined) {
    if (!isSameKind(one.before, other.before)) return false
  }
  return fieldKey(one.node) === fieldKey(other.node)
}

function fieldKey(node: Move['node']): string {
  return node === undefined ? '' : resourceId(node) || node.path
}

/** Text typed behind text makes one text, which the field itself shows. */
function lastWord(previous: Move, move: Move): Move['typed'] {
  const [first, last] = [previous.typed, move.typed]
  if (first === undefined || last === undefined) return last
  const submit = first.submit || last.submit
  if (!last.append || last.secret) return { ...last, submit, append: false }
  const field = move.after?.nodes.find((node) => fieldKey(node) === fieldKey(move.node))
  const whole = field === undefined ? undefined : shownWords(field)
  return { ...last, submit, append: first.append, text: whole ?? last.text }
}

export function fieldName({ node }: Pick<Move, 'node'>): string {
  return (node && idWords(node)) || 'the field'
}
