import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import type { Findings } from './findings.ts'

interface SecretKind {
  readonly code: FindingCode
  readonly what: string
  /** Without this the expression cannot fit, and is not tried. */
  readonly needle: string
  readonly pattern: RegExp
}

const token = (what: string, needle: string, pattern: RegExp): SecretKind => ({
  code: 'SECRET_KNOWN_TOKEN',
  what,
  needle,
  pattern,
})

const kinds: readonly SecretKind[] = [
  {
    code: 'SECRET_PRIVATE_KEY',
    what: 'private key',
    needle: 'PRIVATE KEY',
    pattern: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  token('cloud access key', 'AKIA', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g),
  token('code host token', 'gh', /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g),
  token('code host token', 'github_pat_', /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g),
  token('code host token', 'glpat-', /\bglpat-[A-Za-z0-9_-]{20,}/g),
  token('chat token', 'xox', /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g),
  token('chat webhook', 'hooks.slack.com', /hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g),
  token('language model key', 'sk-', /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}/g),
  token('search or map key', 'AIza', /\bAIza[0-9A-Za-z_-]{35}\b/g),
  token('payment key', 'k_live_', /\b[rs]k_live_[0-9A-Za-z]{16,}/g),
  token('package registry token', 'npm_', /\bnpm_[A-Za-z0-9]{36}\b/g),
  token('package registry token', 'pypi-', /\bpypi-[A-Za-z0-9_-]{50,}/g),
  token('signed token', 'eyJ', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g),
  token(
    'password in an address',
    '://',
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"<>]{1,80}:[^\s/:@'"<>${}]{4,80}@/gi,
  ),
]

/** Looks for secrets and never repeats one: the path, the kind and its last two characters are all that is told. */
export function findSecrets(path: string, text: string, findings: Findings): void {
  for (const { code, what, needle, pattern } of kinds) {
    if (!text.includes(needle)) continue
    for (const [found] of text.matchAll(pattern)) {
      if (isExample(found)) continue
      findings.add(code, { path, note: `${what}, ends in ${found.slice(-2)}` })
    }
  }
}

/** Names and numbers that every handbook shows. */
const isExample = (found: string): boolean =>
  /example|placeholder|your[-_]|xxxx|:\/\/[^@]*(?:user|password|<)/i.test(found)

const assignment =
  /(?:secret|token|passw(?:or)?d|api_?key|credential)[\w-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/_=.-]{20,200})/gi

/** Long values without a pattern, where the name before them says that they are secret. */
export function findUnnamedSecrets(path: string, text: string, findings: Findings): void {
  for (const [, value = ''] of text.matchAll(assignment)) {
    if (isExample(value) || entropy(value) < 3.6 || !/\d/.test(value)) continue
    findings.add('SECRET_HIGH_ENTROPY', { path, note: `ends in ${value.slice(-2)}` })
  }
}

/** Bits for each character. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

export function judgeSecretFile(path: string, findings: Findings): void {
  const name = path.split('/').at(-1) ?? ''
  if (
    /^(?:\.?env(?:\.\w+)?|credentials(?:\.json)?|id_(?:rsa|ed25519|ecdsa)|\.?netrc)$/i.test(name)
  ) {
    findings.add('SECRET_ENV_FILE', { path })
  }
}
