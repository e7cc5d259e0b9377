import { FINDING_TABLE, type FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import type {
  BundleSummary,
  PortabilityGrade,
  PortableFrontmatter,
  SkillCompatibilityReport,
} from '@apprentice/contracts/skills/import-record.ts'
import { splitDocument } from '../markdown/document.ts'
import { parseRecipe } from '../recipes/check/parse-recipe.ts'
import { checkCollisions, checkDependencies, checkTools } from './collisions.ts'
import { type ArchiveEntry, chooseFiles } from './entry-names.ts'
import { FileScan, type ScannedFile } from './file-scan.ts'
import { Findings } from './findings.ts'
import { normalizeFrontmatter, type ReadFrontmatter, readHeader } from './frontmatter.ts'
import { lintBody } from './instruction-rules.ts'
import { readManifests } from './manifests.ts'
import { findSkillRoot, lintLinks, lintPath, lintSize } from './structure-rules.ts'
import type { ScanDeps } from './scan-deps.ts'
import { lintTriggerCases } from './trigger-cases.ts'

const RULE_VERSION = 'bundle-lint-1'

export interface ScanOutcome {
  readonly report: SkillCompatibilityReport
  /** Set when the archive cannot be used at all. */
  readonly fatal?: FindingCode | undefined
  readonly collision: boolean
  readonly skill_name?: string | undefined
  readonly skill_pack?: string | undefined
  readonly assigned_namespace?: string | undefined
}

/** Files whose text is needed after all files are scanned. */
const needsText = (path: string): boolean =>
  /^(?:SKILL\.md|capabilities\/[^/]+\.json|tests\/[\w-]+\.json|mcp-bindings\.json|artifacts\/[^/]+\.recipe\.json)$/.test(
    path,
  )

/** Scans a bundle. It receives the archive entries and the file contents; it opens and runs nothing itself. */
export class BundleScan {
  readonly #findings = new Findings()
  readonly #deps: ScanDeps
  readonly #texts = new Map<string, ScannedFile>()
  readonly #paths = new Set<string>()
  readonly #scripts: string[] = []
  #prefix = ''
  #bytes = 0

  constructor(deps: ScanDeps) {
    this.#deps = deps
  }

  /** Returns the files to scan; none when the archive cannot be used. */
  chooseEntries<E extends ArchiveEntry>(entries: readonly E[], hiddenBytes = 0): readonly E[] {
    if (hiddenBytes > 0) {
      this.#findings.add('ARCHIVE_HIDDEN_DATA', { note: `${hiddenBytes} bytes.` })
    }
    const files = chooseFiles(entries, this.#findings)
    if (this.#findings.fatal !== undefined) return []
    const root = findSkillRoot(
      files.map(({ path }) => path),
      this.#findings,
    )
    if (root === undefined) return []
    this.#prefix = root.prefix
    const inside = files.filter(({ path }) => path.startsWith(root.prefix))
    for (const { path, size } of inside) {
      const own = this.toSkillPath(path)
      this.#paths.add(own)
      lintPath(own, size, this.#findings)
    }
    return inside
  }

  /** The path relative to the folder of the skill. */
  toSkillPath(path: string): string {
    const own = path.slice(this.#prefix.length)
    return /^skill\.md$/i.test(own) ? 'SKILL.md' : own
  }

  openFile({ path, size }: Pick<ArchiveEntry, 'path' | 'size'>): FileScan {
    const own = { path: this.toSkillPath(path), size }
    return new FileScan(own, this.#findings, this.#deps.blocked_terms)
  }

  addFile(file: ScannedFile): void {
    this.#bytes += file.bytes
    if (file.script) this.#scripts.push(file.path)
    if (needsText(file.path)) this.#texts.set(file.path, file)
  }

  /** Records an error of the archive as a finding. Returns false for any other error. */
  recordError(error: unknown): boolean {
    const { code, path } = error as { code?: unknown; path?: string }
    if (typeof code !== 'string' || !(code in FINDING_TABLE)) return false
    this.#findings.add(code as FindingCode, { path })
    return true
  }

  finish(): ScanOutcome {
    const findings = this.#findings
    if (findings.fatal !== undefined) return this.#buildOutcome({})
    const read = this.#readDocument()
    const { frontmatter } = read
    const context = { skill_name: read.skill_name, files: this.#paths }
    const manifests = readManifests(this.#listTexts(/^capabilities\//), context, findings)
    this.#checkTests(frontmatter)
    this.#checkRecipes()
    this.#checkBindings()
    this.#checkProvenance(read)
    if (frontmatter === undefined) return this.#buildOutcome({ read, manifests })
    if (frontmatter.portability_grade === 'adapter_required') {
      findings.add('ADAPTER_REQUIRED', { path: 'SKILL.md' })
    }
    const deps = this.#deps
    const assigned_namespace = checkCollisions({ frontmatter, manifests }, deps, findings)
    checkTools(frontmatter, findings)
    checkDependencies(frontmatter, deps, findings)
    return this.#buildOutcome({ read, manifests, assigned_namespace })
  }

  #readDocument(): ReadFrontmatter {
    const file = this.#texts.get('SKILL.md')
    const findings = this.#findings
    if (file?.text === undefined || !file.utf8) {
      findings.add('SKILL_MD_NOT_UTF8', { path: 'SKILL.md' })
      return { licensed: false }
    }
    lintSize(file.bytes, file.text, findings)
    const { header, body } = splitDocument(file.text)
    lintBody(body, findings)
    lintLinks(body, this.#paths, findings)
    const fields = readHeader(header, findings)
    if (fields === undefined) return { licensed: false }
    const folder = this.#prefix === '' ? undefined : this.#prefix.slice(0, -1)
    return normalizeFrontmatter(fields, { body, folder }, findings)
  }

  #listTexts(pattern: RegExp): { path: string; text: string }[] {
    return [...this.#texts.values()]
      .filter(({ path }) => pattern.test(path))
      .map(({ path, text = '' }) => ({ path, text }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  #checkTests(frontmatter: PortableFrontmatter | undefined): void {
    lintTriggerCases(this.#texts.get('tests/trigger-tests.json')?.text, frontmatter, this.#findings)
    if (!this.#paths.has('tests/smoke-tests.json')) this.#findings.add('SMOKE_TESTS_MISSING')
  }

  #checkRecipes(): void {
    for (const { path, text } of this.#listTexts(/^artifacts\//)) {
      const read = parseRecipe(text, 'json')
      if ('recipe' in read) continue
      const [first] = read.violations
      this.#findings.add('RECIPE_UNFIT', { path, note: first?.code })
    }
  }

  #checkBindings(): void {
    const path = 'mcp-bindings.json'
    const text = this.#texts.get(path)?.text
    if (text === undefined) return
    this.#findings.add('MCP_BINDING_UNREGISTERED', { path })
    const literalSecret =
      /"[^"]{0,60}(?:token|secret|password|api_?key|authorization)[^"]{0,20}"\s{0,9}:\s{0,9}"(?!\$\{|env:|<)[^"]{8,}"/i
    if (literalSecret.test(text)) this.#findings.add('SECRET_IN_MCP_BINDING', { path })
  }

  #checkProvenance({ licensed, skill_pack }: ReadFrontmatter): void {
    const { source, packs } = this.#deps
    const hasLicence = [...this.#paths].some((path) => /^licen[cs]e(?:\.\w+)?$/i.test(path))
    if (!licensed && !hasLicence) this.#findings.add('LICENSE_MISSING')
    if (skill_pack !== undefined && !packs.has(skill_pack)) {
      this.#findings.add('PACK_UNKNOWN', { note: skill_pack })
    }
    const hasMetadata = this.#paths.has('imports/import-metadata.json')
    if (source === 'elnor_generated' && !hasMetadata && !this.#paths.has('support-packs.json')) {
      this.#findings.add('SOURCE_MISMATCH')
    }
  }

  #buildOutcome(parts: {
    read?: ReadFrontmatter
    manifests?: readonly CapabilityManifest[]
    assigned_namespace?: string | undefined
  }): ScanOutcome {
    const findings = this.#findings
    const { read, manifests = [], assigned_namespace } = parts
    const frontmatter = read?.frontmatter
    const portability_grade = decideGrade(findings, frontmatter?.portability_grade ?? 'direct')
    const report: SkillCompatibilityReport = {
      compatible: findings.compatible,
      requires_adapter: findings.requires_adapter,
      rule_version: RULE_VERSION,
      ...(read?.skill_pack === undefined ? {} : { suggested_pack_id: read.skill_pack }),
      findings: findings.list,
      portability_grade,
      bundle_summary: this.#buildSummary(frontmatter, manifests),
      ...(frontmatter === undefined ? {} : { frontmatter: { ...frontmatter, portability_grade } }),
      schema_version: 1,
    }
    return {
      report,
      fatal: findings.fatal,
      collision: findings.collision,
      skill_name: read?.skill_name,
      skill_pack: read?.skill_pack,
      assigned_namespace,
    }
  }

  #buildSummary(frontmatter: PortableFrontmatter | undefined, manifests: readonly CapabilityManifest[]): BundleSummary {
    return {
      file_count: this.#paths.size,
      uncompressed_bytes: this.#bytes,
      scripts: this.#scripts.slice(0, 100).map((path) => path.slice(0, 240)),
      capabilities: manifests.map(({ capability_id }) => capability_id),
      allowed_tools: frontmatter?.allowed_tools ?? [],
      connector_hints: frontmatter?.connector_hints ?? [],
    }
  }
}

const GRADES: readonly PortabilityGrade[] = ['direct', 'adapter_required', 'local_only', 'non_portable']

/** The most restrictive of the declared grade and the grades that follow from the findings. */
function decideGrade(findings: Findings, declared: PortabilityGrade): PortabilityGrade {
  const found: PortabilityGrade[] = [
    declared,
    ...(findings.requires_adapter ? (['adapter_required'] as const) : []),
    ...(findings.has('PLATFORM_UNSUPPORTED') ? (['local_only'] as const) : []),
    ...(findings.compatible ? [] : (['non_portable'] as const)),
  ]
  return GRADES.findLast((grade) => found.includes(grade)) ?? 'direct'
}
