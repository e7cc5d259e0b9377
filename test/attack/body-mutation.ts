import type { Random } from '../crash/random.ts'

const HUGE_TEXT = 'x'.repeat(300_000)

/** Values that most fields do not expect. */
const ODD_VALUES: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => 0.1,
  () => '',
  () => ' ',
  () => '\u0000',
  () => '\ud800',
  () => '../../../../etc/passwd',
  () => "'; DROP TABLE events; --",
  () => '(a+)+$',
  () => '(|)'.repeat(200),
  () => '{{7*7}}${7*7}',
  () => HUGE_TEXT,
  () => 'a '.repeat(20_000),
  () => [],
  () => ({}),
  () => Array.from({ length: 5000 }, (_, at) => at),
  () => Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`key_${at}`, at])),
  (random) => nest(random.int(5, 60)),
  (random) => String.fromCodePoint(random.int(1, 0xd7ff)).repeat(random.int(1, 500)),
]

const nest = (depth: number): unknown =>
  depth === 0 ? 1 : random01(depth) ? [nest(depth - 1)] : { a: nest(depth - 1) }
const random01 = (depth: number): boolean => depth % 2 === 0

/** Changes one to three places of a JSON value. */
export function mutate(value: unknown, random: Random): unknown {
  let changed = value
  for (let left = random.int(1, 3); left > 0; left -= 1) changed = mutateOnce(changed, random, 0)
  return changed
}

function mutateOnce(value: unknown, random: Random, depth: number): unknown {
  if (value === null || typeof value !== 'object') return odd(random)
  const entries = Object.entries(value)
  if (entries.length === 0 || (depth > 0 && random.chance(0.3))) return odd(random)
  const [name, inner] = random.pick(entries)
  if (Array.isArray(value)) return value.with(Number(name), mutateOnce(inner, random, depth + 1))
  const how = random.pickWeighted({ inside: 6, remove: 2, add: 1, rename: 1 })
  const { [name]: _removed, ...rest } = value as Record<string, unknown>
  if (how === 'remove') return rest
  if (how === 'add') return { ...value, [random.pick(['extra', 'constructor', 'id', '$ref'])]: odd(random) }
  if (how === 'rename') return { ...rest, [name.toUpperCase()]: inner }
  return { ...rest, [name]: mutateOnce(inner, random, depth + 1) }
}

const odd = (random: Random): unknown => random.pick(ODD_VALUES)(random)

/** Damages the bytes of a body: cuts it, sets bytes, repeats parts, changes the encoding. */
export function damage(bytes: Buffer, random: Random): Buffer {
  const at = random.int(0, Math.max(0, bytes.length - 1))
  switch (random.pickWeighted({ cut: 3, set: 3, repeat: 2, utf16: 1, bom: 1, noise: 1 })) {
    case 'cut':
      return bytes.subarray(0, at)
    case 'set': {
      const changed = Buffer.from(bytes)
      if (changed.length > 0) changed[at] = random.int(0, 255)
      return changed
    }
    case 'repeat':
      return Buffer.concat([bytes.subarray(0, at), bytes])
    case 'utf16':
      return Buffer.from(bytes.toString(), 'utf16le')
    case 'bom':
      return Buffer.concat([Buffer.from('\ufeff'), bytes])
    case 'noise':
    default:
      return Buffer.from(Array.from({ length: random.int(1, 2000) }, () => random.int(0, 255)))
  }
}
