import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import { countLines, type Findings } from './findings.ts'

const SCRIPT_EXTENSION = /\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|js|mjs|cjs|ts|ps1|bat|cmd|applescript|scpt)$/i

export const isScript = (path: string, head: string): boolean => SCRIPT_EXTENSION.test(path) || head.startsWith('#!')

const isAppleScript = (path: string): boolean => /\.(?:applescript|scpt)$/i.test(path)

const RULES: readonly (readonly [FindingCode, RegExp])[] = [
  [
    'SCRIPT_REMOTE_EXEC',
    /\b(?:curl|wget|iwr|Invoke-WebRequest)\b[^\n|;]{0,300}\|\s{0,9}(?:sudo\s{1,9})?(?:ba|z|da)?sh\b/,
  ],
  ['SCRIPT_REMOTE_EXEC', /\b(?:curl|wget)\b[^\n|]{0,300}\|\s{0,9}(?:sudo\s{1,9})?(?:python3?|node|ruby|perl)\b/],
  ['SCRIPT_REMOTE_EXEC', /\b(?:bash|sh|zsh|source)\s{1,9}(?:-c\s{1,9})?["']?(?:<\(|\$\()\s{0,9}(?:curl|wget)\b/],
  ['SCRIPT_REMOTE_EXEC', /\b(?:exec|eval)\s{0,9}\(\s{0,9}(?:requests\.get|urllib\.request|urlopen|await fetch)/],
  [
    'SCRIPT_DESTRUCTIVE',
    /\brm\s{1,9}(?:-\w{1,9}\s{1,9}){0,4}-\w{0,9}[rR]\w{0,9}\s{1,9}(?:-\w{1,9}\s{1,9}){0,4}["']?(?:\/(?!tmp\b|dev\/shm)|~|\$HOME|\*)/,
  ],
  ['SCRIPT_DESTRUCTIVE', /\bmkfs(?:\.\w{1,9})?\s|\bdd\s[^\n]{0,200}\bof=\/dev\/|>\s{0,9}\/dev\/(?:sd|nvme|disk)/],
  ['SCRIPT_DESTRUCTIVE', /shutil\.rmtree\(\s{0,9}(?:["']\/|os\.path\.expanduser|Path\.home)/],
  ['SCRIPT_DESTRUCTIVE', /:\(\)\s{0,9}\{\s{0,9}:\|:&\s{0,9}\};:|\bRemove-Item\b[^\n]{0,200}-Recurse[^\n]{0,99}-Force/],
  [
    'SCRIPT_PRIVILEGE_ESCALATION',
    /(?:^|[\s;&|(])(?:sudo|doas|pkexec)\s|\bchmod\s{1,9}(?:[ug]?\+s|[2467]\d{3})\b|\bsetuid\(/m,
  ],
  [
    'SCRIPT_PERSISTENCE',
    /\bcrontab\b|\/etc\/cron|LaunchAgents|LaunchDaemons|\bsystemctl\s{1,9}(?:--user\s{1,9})?enable\b/,
  ],
  ['SCRIPT_PERSISTENCE', />>\s{0,9}["']?(?:~|\$HOME)\/\.(?:bash|z?prof|zsh)|\bschtasks\b[^\n]{0,99}\/create/i],
  [
    'SCRIPT_CREDENTIAL_ACCESS',
    /\bsecurity\s{1,9}find-(?:generic|internet)-password|~\/\.ssh\/|\.aws\/credentials|\.netrc\b/,
  ],
  [
    'SCRIPT_CREDENTIAL_ACCESS',
    /(?:Chrome|Firefox|Chromium)[^\n]{0,80}(?:Login Data|Cookies|key4\.db|logins\.json)|\/etc\/shadow/,
  ],
  [
    'SCRIPT_CANONICAL_WRITE',
    /ELNOR_MEMORY|APPRENTICE_HOME|apprentice\.db\b|capabilities\/manifests\/|bridge_entries_current/,
  ],
  ['SCRIPT_CONFIG_WRITE', />\s{0,9}["']?(?:~|\$HOME|\/etc)\/[^\s"']{1,200}\.(?:json|ya?ml|ini|plist|toml|conf)\b/],
  ['SCRIPT_CONFIG_WRITE', /\bdefaults\s{1,9}write\s|\bPlistBuddy\b[^\n]{0,99}(?:Set|Add)\b|\bgsettings\s{1,9}set\b/],
  [
    'SCRIPT_CONFIG_WRITE',
    /(?:open|writeFileSync|writeFile)\(\s{0,9}[^\n)]{0,200}(?:expanduser|homedir\(\)|\/etc\/)[^\n)]{0,200}\.(?:json|ya?ml|ini|plist|toml)/,
  ],
  [
    'SCRIPT_NETWORK_EGRESS',
    /\b(?:curl|wget|nc|ncat|scp|rsync|ftp)\s{1,9}\S|\brequests\.(?:get|post|put)\(|\burllib\.request\b|\bfetch\(\s{0,9}["'`]https?:|\bhttps?\.request\(|\bsocket\.connect\(|Invoke-WebRequest/,
  ],
  [
    'SCRIPT_DYNAMIC_EVAL',
    // A method of that name is another thing: `regex.exec(text)`, `model.eval()`, `page.$eval(...)`.
    /(?<![.\w$-])eval\s{0,9}["'(`$]|\b(?:window|globalThis|self|global|builtins)\.(?:eval|exec)\(|(?<![.\w$])exec\(\s{0,9}[a-z_f"']|\bnew Function\(|(?<![.\w])compile\([^\n]{0,200}["']exec["']|\bvm\.run\w{0,20}\(/,
  ],
  [
    'SCRIPT_OBFUSCATED',
    /\bbase64\s{1,9}(?:-d|--decode|-D)\b[^\n]{0,200}\|\s{0,9}(?:ba|z)?sh\b|(?:exec|eval)\s{0,9}\(\s{0,9}(?:base64|atob|zlib|codecs|bytes\.fromhex)/,
  ],
  ['SCRIPT_OBFUSCATED', /(?:\\x[0-9a-f]{2}){40,}|(?:String\.fromCharCode\([\d,\s]{120,}\))/i],
  [
    'SCRIPT_PACKAGE_INSTALL',
    /\b(?:pip3?|pipx|uv)\s{1,9}(?:pip\s{1,9})?install\b|\bnpm\s{1,9}(?:i|install|ci)\b|\b(?:apt(?:-get)?|brew|dnf|yum|apk|gem|cargo)\s{1,9}(?:install|add)\b/,
  ],
]

/** A static check; nothing in a bundle is ever run. */
export function lintScript(path: string, text: string, findings: Findings): void {
  findings.add('SCRIPT_PRESENT', { path })
  const found = new Set<FindingCode>()
  const code = removeComments(text)
  for (const [rule, pattern] of RULES) {
    const at = found.has(rule) ? -1 : code.search(pattern)
    if (at < 0) continue
    found.add(rule)
    findings.add(rule, { path, line: countLines(code, at) })
  }
  if (!found.has('SCRIPT_OBFUSCATED') && measureLongestLine(text) > 5000) {
    findings.add('SCRIPT_OBFUSCATED', { path, note: 'one very long line' })
  }
  if (isAppleScript(path)) findings.add('PLATFORM_UNSUPPORTED', { path, note: 'AppleScript' })
  if (/\bosascript\b/.test(text)) {
    findings.add('PLATFORM_UNSUPPORTED', { path, note: 'runs AppleScript' })
  }
  if (!/\bjson\b/i.test(text)) findings.add('SCRIPT_IO_CONTRACT', { path })
}

const COMMENT = /^\s{0,200}(?:#(?!!)|\/\/|\*\s|--\s|;\s)/
/** Prints one fixed text and does nothing else: no substitution, pipe or redirection. */
const MESSAGE =
  /^\s{0,200}(?:echo|print|console\.(?:log|warn|error))[\s(]{1,9}(?:"[^"$`\\]{0,400}"|'[^'\\]{0,400}')\)?;?\s{0,9}$/

/** Without the lines that are only a comment or a printed message. The first line may name an interpreter. */
const removeComments = (text: string): string =>
  text
    .split('\n')
    .map((line) => (COMMENT.test(line) || MESSAGE.test(line) ? '' : line))
    .join('\n')

function measureLongestLine(text: string): number {
  let [longest, from] = [0, 0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
    longest = Math.max(longest, at - from)
    from = at + 1
  }
  return Math.max(longest, text.length - from)
}
