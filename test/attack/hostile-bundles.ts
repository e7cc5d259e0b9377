import { deflateRawSync } from 'node:zlib'
import type { Random } from '../crash/random.ts'
import {
  buildBundle,
  buildManifest,
  buildSkillDocument,
  buildZip,
  type ZipEntrySpec,
} from '../skill-import/zip-builder.ts'

const skill: ZipEntrySpec = { name: 'SKILL.md', content: buildSkillDocument() }
const withFile =
  (name: string, content: string | Buffer, more: Partial<ZipEntrySpec> = {}) =>
  (): Buffer =>
    buildZip([...buildBundle().filter((entry) => entry.name !== name), { name, content, ...more }])

const BOMB = () => {
  const packed = deflateRawSync(Buffer.alloc(20 << 20))
  return buildZip([skill, { name: 'bomb', packed, size: 900_000, compressed: packed.length }])
}

/** Texts on which careless patterns take quadratic time or worse. */
const SLOW_TEXTS: readonly string[] = [
  ' '.repeat(200_000),
  'a'.repeat(200_000),
  '\n'.repeat(200_000),
  '-'.repeat(200_000),
  'a '.repeat(100_000),
  '[['.repeat(100_000),
  '<!--'.repeat(50_000),
  '```\n'.repeat(50_000),
  'password='.repeat(20_000),
  'eyJ'.repeat(60_000),
  'https://'.repeat(25_000),
  'curl '.repeat(40_000),
  '$('.repeat(100_000),
  'base64'.repeat(30_000),
  `- ${'* '.repeat(90_000)}`,
]

const headerOf = (lines: string): string => `---\n${lines}\n---\n\n# Tidy notes\n`

const BUILDERS: readonly (readonly [string, () => Buffer])[] = [
  ['a path that climbs', withFile('../evil.txt', 'x')],
  ['an absolute path', withFile('/etc/evil', 'x')],
  ['a path with a backslash', withFile(String.raw`a\..\..\evil`, 'x')],
  ['a symbolic link', withFile('link', '/etc', { mode: 0o120777 })],
  ['a device file', withFile('device', '', { mode: 0o020666 })],
  ['two entries of one name', () => buildZip([skill, { name: 'a' }, { name: 'a' }])],
  ['a file that is a folder too', () => buildZip([skill, { name: 'a' }, { name: 'a/b' }])],
  ['a bomb', BOMB],
  ['a file with a suspicious ratio', () => buildZip([skill, { name: 'z', content: Buffer.alloc(3 << 20) }])],
  ['entries that share bytes', () => buildZip([skill, { ...skill, at: 0 }])],
  ['too many entries', () => buildZip([skill, ...Array.from({ length: 2001 }, (_, at) => ({ name: `f${at}` }))])],
  ['a wrong checksum', withFile('c', 'a'.repeat(99), { crc: 7 })],
  ['a wrong size', withFile('s', 'abc', { stored: true, size: 9 })],
  ['an encrypted entry', withFile('e', 'x', { flags: 1 })],
  ['no end', () => buildZip([skill]).subarray(0, -30)],
  ['nothing but bytes', () => Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(5000, 7)])],
  ['a header with many anchors', withFile('SKILL.md', headerOf(buildAliases()))],
  ['a header nested deeply', withFile('SKILL.md', headerOf(`a: ${'['.repeat(5000)}${']'.repeat(5000)}`))],
  ['a header with a huge key', withFile('SKILL.md', headerOf(`${'k'.repeat(100_000)}: 1`))],
  ['a header without an end', withFile('SKILL.md', `---\n${'a: b\n'.repeat(20_000)}`)],
  [
    'a manifest of the wrong shape',
    withFile('manifest.json', JSON.stringify(buildManifest({ name: 7, files: 'all' }))),
  ],
  ['a manifest nested deeply', withFile('manifest.json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  ...SLOW_TEXTS.map(
    (text, at) => [`slow text ${at}`, withFile('SKILL.md', `${buildSkillDocument()}\n${text}\n`)] as const,
  ),
  ['a slow script', withFile('scripts/run.sh', SLOW_TEXTS.join('\n'), { mode: 0o100755 })],
]

/** Aliases that would grow to billions of nodes. */
function buildAliases(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let at = 1; at < 12; at += 1)
    lines.push(
      `a${at}: &a${at} [${Array(9)
        .fill(`*a${at - 1}`)
        .join(', ')}]`,
    )
  return lines.join('\n')
}

export interface HostileBundle {
  readonly name: string
  readonly archive: Buffer
}

/** As many bundles as wanted: the listed ones, then a good one with random damage. */
export function* listHostileBundles(count: number, random: Random): Generator<HostileBundle> {
  for (let at = 0; at < count; at += 1) {
    // A step that visits all of them, so that a short attack has some of each kind.
    const found = at < BUILDERS.length ? BUILDERS[(at * 11) % BUILDERS.length] : undefined
    yield found === undefined
      ? { name: 'a damaged bundle', archive: damageBundle(random) }
      : { name: found[0], archive: found[1]() }
  }
}

function damageBundle(random: Random): Buffer {
  const bytes = buildZip(buildBundle())
  for (let left = random.int(1, 8); left > 0; left -= 1) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
  return bytes
}
