import { leadsOut } from './entry-names.ts'
import type { Findings } from './findings.ts'

const topLevel = new Set([
  'SKILL.md',
  'README.md',
  'LICENSE',
  'LICENSE.txt',
  'LICENSE.md',
  'capabilities',
  'references',
  'reference',
  'schemas',
  'assets',
  'scripts',
  'knowledge',
  'page-knowledge',
  'ui-anchors',
  'tests',
  'imports',
  'artifacts',
  'templates',
  'examples',
  'support-packs',
  'support-packs.json',
  'control-surface.json',
  'shortcut-registry.json',
  'midi-registry.json',
  'mcp-bindings.json',
])
const archives = /\.(?:zip|tar|tgz|gz|bz2|xz|7z|rar|jar|zst)$/i
const installers = /\.(?:pkg|dmg|msi|deb|rpm|appimage|whl|exe|apk|ipa)$/i

/** Where the skill lies in the archive: at the top, or in the one folder there is. */
export interface SkillRoot {
  /** Ends in `/` unless it is the top. */
  readonly prefix: string
  readonly document: string
}

export function findRoot(paths: readonly string[], findings: Findings): SkillRoot | undefined {
  const documents = paths.filter((path) => /(?:^|\/)skill\.md$/i.test(path))
  const tops = new Set(paths.map((path) => path.split('/')[0]))
  const chosen = documents
    .filter((path) => depth(path) === 1 || (depth(path) === 2 && tops.size === 1))
    .toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))[0]
  if (chosen === undefined) {
    findings.add('SKILL_MD_MISSING')
    return undefined
  }
  for (const path of documents) {
    if (path !== chosen) findings.add('SKILL_MD_MULTIPLE', { path })
  }
  if (!chosen.endsWith('SKILL.md')) findings.add('SKILL_MD_WRONG_CASE', { path: chosen })
  return { prefix: chosen.slice(0, -'SKILL.md'.length), document: chosen }
}

const depth = (path: string): number => path.split('/').length

export function lintPath(path: string, size: number, findings: Findings): void {
  const [top = ''] = path.split('/')
  if (!topLevel.has(top)) findings.add('BUNDLE_UNKNOWN_TOP_LEVEL', { path: top })
  if (['skill.json', 'index.js', 'skills-registry.json'].includes(path.toLowerCase())) {
    findings.add('BUNDLE_LEGACY_RUNTIME_FILE', { path })
  }
  if (size > 10 * 1024 * 1024) findings.add('BUNDLE_LARGE_ASSET', { path })
  if (installers.test(path)) findings.add('BUNDLE_INSTALLER', { path })
  else if (archives.test(path)) {
    const grave = path.startsWith('scripts/') || /skill/i.test(path.split('/').at(-1) ?? '')
    findings.add('ARCHIVE_NESTED_ARCHIVE', { path, severity: grave ? 'error' : 'warning' })
  }
}

const programs: readonly (readonly [string, readonly number[]])[] = [
  ['ELF', [0x7f, 0x45, 0x4c, 0x46]],
  ['PE', [0x4d, 0x5a]],
  ['Mach-O', [0xcf, 0xfa, 0xed, 0xfe]],
  ['Mach-O', [0xce, 0xfa, 0xed, 0xfe]],
  ['Mach-O', [0xca, 0xfe, 0xba, 0xbe]],
  ['Mach-O', [0xfe, 0xed, 0xfa, 0xcf]],
  ['WebAssembly', [0x00, 0x61, 0x73, 0x6d]],
]

/** By its first bytes, whatever it is called. */
export function lintMagic(path: string, head: Uint8Array, findings: Findings): void {
  const fits = (bytes: readonly number[]) => bytes.every((byte, at) => head[at] === byte)
  const program = programs.find(([, bytes]) => fits(bytes))
  if (program !== undefined) {
    findings.add('BUNDLE_BINARY_EXECUTABLE', { path, note: program[0] })
  }
  if (!archives.test(path) && !installers.test(path) && fits([0x50, 0x4b, 0x03, 0x04])) {
    findings.add('ARCHIVE_NESTED_ARCHIVE', {
      path,
      severity: isDocument(path) ? 'warning' : 'error',
    })
  }
}

/** Formats that are zips inside. */
const isDocument = (path: string): boolean =>
  /\.(?:docx|xlsx|pptx|odt|ods|odp|epub|jar)$/i.test(path)

export function lintSize(bytes: number, text: string, findings: Findings): void {
  const path = 'SKILL.md'
  if (bytes > 1024 * 1024) findings.add('SKILL_MD_TOO_LARGE', { path, severity: 'error' })
  else if (bytes > 64 * 1024 || text.split('\n', 502).length > 501) {
    findings.add('SKILL_MD_TOO_LARGE', { path })
  }
}

/** Links of SKILL.md to files. Addresses and places within the page are none of ours. */
export function lintLinks(body: string, files: ReadonlySet<string>, findings: Findings): void {
  const path = 'SKILL.md'
  const told = new Set<string>()
  for (const [, link = ''] of body.matchAll(
    /\]\(\s{0,4}<?([^)\s>]{1,400})>?(?:\s[^)]{0,200})?\)/g,
  )) {
    if (/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(link) || told.has(link)) continue
    told.add(link)
    const target = decoded(link.split(/[#?]/, 1)[0] ?? '').replace(/^(?:\.\/)+/, '')
    if (target === '') continue
    if (leadsOut(target)) findings.add('REFERENCE_OUTSIDE_BUNDLE', { path, note: target })
    else if (
      !files.has(target) &&
      ![...files].some((file) => file.startsWith(`${target.replace(/\/$/, '')}/`))
    ) {
      findings.add('REFERENCE_BROKEN_LINK', { path, note: target })
    }
  }
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
