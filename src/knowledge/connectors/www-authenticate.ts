/** The parameters of the Bearer challenge of a `WWW-Authenticate` header. */
export function parseChallenge(header: string): Readonly<Record<string, string>> {
  const start = /\bbearer\b/i.exec(header)
  if (start === null) return {}
  const parameters: Record<string, string> = {}
  const rest = header.slice(start.index + start[0].length)
  for (const [, name = '', quoted, plain] of rest.matchAll(
    /(?<![A-Za-z_])([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/g,
  )) {
    parameters[name.toLowerCase()] ??= quoted ?? plain ?? ''
  }
  return parameters
}

/** The scopes that a server asks for when it says that those of the token are not enough. */
export function readMissingScopes(header: string): readonly string[] | undefined {
  const { error, scope = '' } = parseChallenge(header)
  if (error !== 'insufficient_scope') return undefined
  return scope.split(/\s+/).filter((one) => one !== '' && one.length <= 160)
}
