import { z } from 'zod'

/**
 * The manifest of a scene, `scene.toml`. The field names are those of the file. A key that is not listed here is reported
 * as a warning, so that a later generator may add keys without breaking an earlier daemon.
 */

export const SCENE_MANIFEST_NAME = 'scene.toml'
export const SCENE_TOOLS_NAME = 'SKILL.toml'

/** The versions of the manifest format that this daemon reads. */
export const SCENE_SCHEMA_VERSIONS = ['1'] as const

/** Three CJK full stops. */
export const DEFAULT_SCENE_SUFFIX = '。。。'

export const MAX_SCENE_KEYWORDS = 50
export const MAX_SCENE_PARAMS = 20
export const MAX_ALLOWED_DOMAINS = 20

export const SceneId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
/** Parts of the addresses of the API, which no scene may have as its id. */
export const RESERVED_SCENE_IDS: readonly string[] = ['dispatch', 'generate', 'generations', 'profiles', 'runs']
export const SceneName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
export const SceneVersion = z
  .string()
  .max(80)
  .regex(
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/,
    'must be a version such as 1.0.0',
  )
export const SceneParamName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)
  .refine((name) => !['constructor', 'prototype'].includes(name), 'must not be constructor or prototype')
export const SceneDomain = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9[\]:._-]+$/, 'must be a host without a scheme, port or path')
/** A path inside the package, with slashes. Whether the file exists is checked when the package is read. */
export const PackagePath = z
  .string()
  .max(400)
  .regex(/^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\\p{Cc}:]+$/u, 'must be a path inside the package')

const words = (max: number) => z.string().max(max).regex(/\S/, 'must not be blank')
const keywords = z.array(words(80)).max(MAX_SCENE_KEYWORDS)

export const SceneHeader = z.object({
  id: SceneId.refine((id) => !RESERVED_SCENE_IDS.includes(id), `must not be ${RESERVED_SCENE_IDS.join(', ')}`),
  skill: SceneName,
  tool: SceneName,
  kind: z.literal('browser_script'),
  version: SceneVersion,
  category: z.literal('report_collection'),
  title: words(120).optional(),
})

export const SceneBootstrap = z.object({
  expected_domain: SceneDomain,
  target_url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine((url) => !hasCredentials(url), 'must not contain a user name or password'),
  page_title_keywords: keywords.default([]),
  requires_target_page: z.boolean().default(true),
  allowed_domains: z.array(SceneDomain).max(MAX_ALLOWED_DOMAINS).default([]),
  stand_in: PackagePath.optional().describe(
    'A folder of the package whose files answer the requests to expected_domain, so that the scene runs without a network',
  ),
})

export const SceneRouting = z.object({
  suffix: words(20).default(DEFAULT_SCENE_SUFFIX),
  include_keywords: keywords.min(1),
  exclude_keywords: keywords.default([]),
})

export const SceneParam = z.object({
  name: SceneParamName,
  resolver: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/),
  required: z.boolean().default(true),
  prompt_missing: words(400),
  prompt_ambiguous: words(400),
  resolver_config: z.record(z.string(), z.unknown()).default({}),
})
export type SceneParam = z.infer<typeof SceneParam>

const statuses = z.array(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/)).max(10)

export const SceneArtifact = z.object({
  type: z.literal('report-artifact'),
  success_status: statuses.min(1).default(['ok', 'partial', 'empty']),
  failure_status: statuses.min(1).default(['blocked', 'error']),
})

export const ScenePostprocess = z.object({
  exporter: z.literal('xlsx_report'),
  auto_open: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,39}$/)
    .default('never')
    .describe('What a client may open the exported file with; the daemon opens nothing'),
})

export const SceneManifest = z
  .object({
    manifest: z.object({ schema_version: z.enum(SCENE_SCHEMA_VERSIONS) }),
    scene: SceneHeader,
    bootstrap: SceneBootstrap,
    deterministic: SceneRouting,
    params: z.array(SceneParam).max(MAX_SCENE_PARAMS).default([]),
    artifact: SceneArtifact,
    postprocess: ScenePostprocess,
  })
  .meta({ id: 'SceneManifest' })
export type SceneManifest = z.infer<typeof SceneManifest>

function hasCredentials(url: string): boolean {
  // Also called for a text that is no address, which another check refuses.
  if (!URL.canParse(url)) return false
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}
