import { isUnsafePath } from './entry-names.ts'
import type { Findings } from './findings.ts'

const TOP_LEVEL_NAMES = new Set([
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
const ARCHIVE_FILE = /\.(?:zip|tar|tgz|gz|bz2|xz|7z|rar|jar|zst)$/i
const INSTALLER_FILE = /\.(?:pkg|dmg|msi|deb|rpm|appimage|whl|exe|apk|ipa)$/i

/** The folder of the skill in the archive: the top level, or the only top-level folder. */
export interface SkillRoot {
  /** Empty for the top level, otherwise with a trailing `/`. */
  readonly prefix: string
  readonly document: string
}

export function findSkillRoot(paths: readonly string[], findings: Findings): SkillRoot | undefined {
  const documents = paths.filter((path) => /(?:^|\/)skill\.md$/i.test(path))
  const tops = new Set(paths.map((path) => path.split('/')[0]))
  const chosen = documents
    .filter((path) => countParts(path) === 1 || (countParts(path) === 2 && tops.size === 1))
    .toSorted((a, b) => countParts(a) - countParts(b) || (a < b ? -1 : 1))[0]
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

const countParts = (path: string): number => path.split('/').length

export function lintPath(path: string, size: number, findings: Findings): void {
  const [top = ''] = path.split('/')
  if (!TOP_LEVEL_NAMES.has(top)) findings.add('BUNDLE_UNKNOWN_TOP_LEVEL', { path: top })
  if (['skill.json', 'index.js', 'skills-registry.json'].includes(path.toLowerCase())) {
    findings.add('BUNDLE_LEGACY_RUNTIME_FILE', { path })
  }
  if (size > 10 * 1024 * 1024) findings.add('BUNDLE_LARGE_ASSET', { path })
  if (INSTALLER_FILE.test(path)) findings.add('BUNDLE_INSTALLER', { path })
  else if (ARCHIVE_FILE.test(path)) {
    const isError = path.startsWith('scripts/') || /skill/i.test(path.split('/').at(-1) ?? '')
    findings.add('ARCHIVE_NESTED_ARCHIVE', { path, severity: isError ? 'error' : 'warning' })
  }
}

const PROGRAM_MAGIC: readonly (readonly [string, readonly number[]])[] = [
  ['ELF', [0x7f, 0x45, 0x4c, 0x46]],
  ['PE', [0x4d, 0x5a]],
  ['Mach-O', [0xcf, 0xfa, 0xed, 0xfe]],
  ['Mach-O', [0xce, 0xfa, 0xed, 0xfe]],
  ['Mach-O', [0xca, 0xfe, 0xba, 0xbe]],
  ['Mach-O', [0xfe, 0xed, 0xfa, 0xcf]],
  ['WebAssembly', [0x00, 0x61, 0x73, 0x6d]],
]

/** Detects programs and archives by their first bytes. */
export function lintMagic(path: string, head: Uint8Array, findings: Findings): void {
  const startsWith = (bytes: readonly number[]) => bytes.every((byte, at) => head[at] === byte)
  const program = PROGRAM_MAGIC.find(([, bytes]) => startsWith(bytes))
  if (program !== undefined) {
    findings.add('BUNDLE_BINARY_EXECUTABLE', { path, note: program[0] })
  }
  if (!ARCHIVE_FILE.test(path) && !INSTALLER_FILE.test(path) && startsWith([0x50, 0x4b, 0x03, 0x04])) {
    findings.add('ARCHIVE_NESTED_ARCHIVE', {
      path,
      severity: isZipDocument(path) ? 'warning' : 'error',
    })
  }
}

/** Document formats that are zip archives. */
const isZipDocument = (path: string): boolean => /\.(?:docx|xlsx|pptx|odt|ods|odp|epub|jar)$/i.test(path)

export function lintSize(bytes: number, text: string, findings: Findings): void {
  const path = 'SKILL.md'
  if (bytes > 1024 * 1024) findings.add('SKILL_MD_TOO_LARGE', { path, severity: 'error' })
  else if (bytes > 64 * 1024 || text.split('\n', 502).length > 501) {
    findings.add('SKILL_MD_TOO_LARGE', { path })
  }
}

/** Checks relative links in SKILL.md. URLs and anchors are ignored. */
export function lintLinks(body: string, files: ReadonlySet<string>, findings: Findings): void {
  const path = 'SKILL.md'
  const checked = new Set<string>()
  for (const [, link = ''] of body.matchAll(/\]\(\s{0,4}<?([^)\s>]{1,400})>?(?:\s[^)]{0,200})?\)/g)) {
    if (/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(link) || checked.has(link)) continue
    checked.add(link)
    const target = decodeLink(link.split(/[#?]/, 1)[0] ?? '').replace(/^(?:\.\/)+/, '')
    if (target === '') continue
    if (isUnsafePath(target)) findings.add('REFERENCE_OUTSIDE_BUNDLE', { path, note: target })
    else if (!files.has(target) && ![...files].some((file) => file.startsWith(`${target.replace(/\/$/, '')}/`))) {
      findings.add('REFERENCE_BROKEN_LINK', { path, note: target })
    }
  }
}

function decodeLink(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
