import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import type { PortableFrontmatter } from '@apprentice/contracts/skills/import-record.ts'
import type { Findings } from './findings.ts'
import type { ScanDeps } from './scan-deps.ts'

const coreTools = new Set([
  'browser',
  'exec',
  'read',
  'write',
  'memory_search',
  'memory_get',
  'node.invoke',
  'verify_checkpoint',
])
const otherTools =
  'bash edit grep glob webfetch websearch task todowrite ls apply_patch process message canvas cron image'
const knownTools = new Set([...coreTools, ...otherTools.split(' ')])

export interface Named {
  readonly frontmatter: PortableFrontmatter
  readonly manifests: readonly CapabilityManifest[]
}

/** Whether what the bundle calls itself and its tools is free. Returns the namespace it gets. */
export function judgeCollisions(
  { frontmatter, manifests }: Named,
  around: ScanDeps,
  findings: Findings,
): string | undefined {
  const { name } = frontmatter
  if (around.skill_names.has(name)) findings.add('SKILL_NAME_COLLISION', { note: name })
  if (around.native_names.has(name)) findings.add('SKILL_NAME_SHADOWS_BUNDLED', { note: name })
  for (const { capability_id } of manifests) {
    if (around.capability_ids.has(capability_id)) {
      findings.add('MANIFEST_ID_COLLISION', { note: capability_id })
    }
  }
  for (const tool of toolsOf(name, manifests)) {
    if (isCore(tool)) findings.add('TOOL_SHADOWING_CORE', { note: tool })
    else if (around.tool_names.has(tool)) findings.add('TOOL_SHADOWING_INSTALLED', { note: tool })
  }
  judgeTriggers(frontmatter, around, findings)
  if (around.imported_before) findings.add('CONTENT_DUPLICATE')
  return namespaceFor(frontmatter, around, findings)
}

/** What the bundle brings under a name of its own; what it merely uses is not shadowed. */
const toolsOf = (name: string, manifests: readonly CapabilityManifest[]): string[] => [
  ...new Set([
    name,
    ...manifests.flatMap(({ runtime_binding: { binding_kind, target }, aliases }) => [
      ...(binding_kind === 'bridge_tool' ? [target] : []),
      ...aliases,
    ]),
  ]),
]

function isCore(tool: string): boolean {
  const plain = tool.toLowerCase().replaceAll('-', '_')
  return coreTools.has(plain) || plain.startsWith('elnor_')
}

/** `ext_`, the first digits of the bundle's hash, and what it is called: longer when somebody has that already. */
function namespaceFor(
  { name, assigned_namespace }: Pick<PortableFrontmatter, 'name' | 'assigned_namespace'>,
  { content_hash_sha256, namespaces }: Pick<ScanDeps, 'content_hash_sha256' | 'namespaces'>,
  findings: Findings,
): string | undefined {
  const family = name.replaceAll('-', '_')
  const wanted = [
    ...(assigned_namespace === undefined ? [] : [assigned_namespace]),
    ...[4, 6, 8].map((digits) =>
      `ext_${content_hash_sha256.slice(0, digits)}_${family}`.slice(0, 32).replace(/_+$/, ''),
    ),
  ]
  const free = wanted.find((namespace) => !namespaces.has(namespace))
  if (free === undefined) findings.add('NAMESPACE_COLLISION')
  return free
}

const nearly = 0.8

function judgeTriggers(
  { triggers }: PortableFrontmatter,
  around: ScanDeps,
  findings: Findings,
): void {
  const own = triggers.map(tokens).filter((words) => words.size >= 2)
  for (const { ability_id, phrases } of around.triggers) {
    const alike = phrases
      .map(tokens)
      .some((theirs) => own.some((words) => overlap(words, theirs) >= nearly))
    if (alike) findings.add('TRIGGER_COLLISION', { note: ability_id })
  }
}

const tokens = (phrase: string): Set<string> =>
  new Set(phrase.toLowerCase().match(/[\p{L}\p{N}]+/gu))

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length
  return shared / Math.max(one.size, other.size, 1)
}

/** What the skill may use, and whether that is known here. */
export function judgeTools({ allowed_tools }: PortableFrontmatter, findings: Findings): void {
  for (const tool of allowed_tools) {
    const plain = tool.replace(/\(.*$/, '').toLowerCase()
    if (/^\*$|\(\s*\*?\s*\)|\(\*:\*\)/.test(tool) || /^bash\(\*/i.test(tool) || plain === '*') {
      findings.add('ALLOWED_TOOLS_WILDCARD', { path: 'SKILL.md', note: tool })
    } else if (!knownTools.has(plain) && !plain.startsWith('elnor_')) {
      findings.add('ALLOWED_TOOLS_UNKNOWN', { path: 'SKILL.md', note: tool })
    }
  }
}

export function judgeDependencies(
  { name, depends_on, connector_hints, support_packs }: PortableFrontmatter,
  around: ScanDeps,
  findings: Findings,
): void {
  for (const skill of depends_on) {
    if (skill === name) findings.add('DEPENDS_ON_CYCLE', { note: skill })
    else if (!around.skill_names.has(skill) && !around.native_names.has(skill)) {
      findings.add('DEPENDS_ON_MISSING', { note: skill })
    }
  }
  for (const hint of connector_hints) {
    if (!around.connectors.has(hint)) findings.add('CONNECTOR_HINT_UNREGISTERED', { note: hint })
  }
  for (const pack of support_packs) {
    if (!around.support_packs.has(pack)) findings.add('SUPPORT_PACK_MISSING', { note: pack })
  }
}
