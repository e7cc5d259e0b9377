import { type Intent, isTap, joinIntents } from '../read/intent.ts'
import { formatId, readText, resourceId } from '../read/node-text.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { isSameKind, isTextField } from '../read/screen.ts'

/** Joins tapping a field, typing into it in parts and pressing Enter. The last text counts. */
export function joinTyping(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents: Intent[] = []
  for (const intent of trace.intents) {
    const previous = intents.at(-1)
    const joined = previous && joinPair(previous, intent)
    if (previous === undefined || joined === undefined) {
      intents.push(intent)
      continue
    }
    intents.pop()
    const merged = previous.kind === 'type' ? intent : previous
    pruned.push(toPruned([merged], 'typing_merged', `Joined to one text for ${nameField(joined)}`))
    intents.push(joined)
  }
  return dropRetyped({ ...trace, intents, pruned })
}

function joinPair(previous: Intent, intent: Intent): Intent | undefined {
  if (previous.pinned === true || intent.pinned === true) return undefined
  if (intent.kind === 'type' && isFocusing(previous, intent)) {
    return joinIntents([previous, intent], { kind: 'type', gesture: 'text', typed: intent.typed })
  }
  if (previous.kind !== 'type' || previous.typed === undefined) return undefined
  if (intent.kind === 'key' && intent.key === 'enter') {
    return joinIntents([previous, intent], { typed: { ...previous.typed, submit: true } })
  }
  if (intent.kind !== 'type' || !isSameField(previous, intent)) return undefined
  return joinIntents([previous, intent], { typed: mergeTyped(previous, intent) })
}

/** Drops a text if the same field is typed into again before any other kind of intent. */
function dropRetyped(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents = trace.intents.filter((intent, at) => {
    if (intent.kind !== 'type' || intent.pinned === true) return true
    const later = trace.intents.slice(at + 1)
    const end = later.findIndex(({ kind }) => kind !== 'type')
    const isRetyped = (end < 0 ? later : later.slice(0, end)).some((one) => isSameField(intent, one))
    if (isRetyped) {
      pruned.push(toPruned([intent], 'typing_merged', `${nameField(intent)} was typed again`))
    }
    return !isRetyped
  })
  return { ...trace, intents, pruned }
}

function isFocusing(intent: Intent, typing: Intent): boolean {
  const { node, before } = intent
  if (!isTap(intent) || node === undefined || !isTextField(node)) return false
  if (before === undefined || typing.before === undefined) return false
  return isSameKind(before, typing.before) && formatFieldKey(node) === formatFieldKey(typing.node)
}

function isSameField(one: Intent, other: Intent): boolean {
  if (one.node === undefined || other.node === undefined) return false
  if (one.before !== undefined && other.before !== undefined) {
    if (!isSameKind(one.before, other.before)) return false
  }
  return formatFieldKey(one.node) === formatFieldKey(other.node)
}

function formatFieldKey(node: Intent['node']): string {
  return node === undefined ? '' : resourceId(node) || node.path
}

/** Appended text is read from the field, which holds the whole text. */
function mergeTyped(previous: Intent, intent: Intent): Intent['typed'] {
  const [first, last] = [previous.typed, intent.typed]
  if (first === undefined || last === undefined) return last
  const submit = first.submit || last.submit
  if (!last.append || last.secret) return { ...last, submit, append: false }
  const key = formatFieldKey(intent.node)
  const field = intent.after?.nodes.find((node) => formatFieldKey(node) === key)
  const whole = field === undefined ? undefined : readText(field)
  return { ...last, submit, append: first.append, text: whole ?? last.text }
}

function nameField({ node }: Intent): string {
  return (node && formatId(node)) || 'the field'
}
