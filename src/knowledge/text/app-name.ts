/** Parts of an application id that say nothing about the app. */
const COMMON_PARTS = new Set(['android', 'app', 'apps', 'application', 'client', 'main', 'mobile', 'com', 'org', 'net'])

/** A word for an app from its id: `com.example.notes.app` becomes "Notes". A plain name stays as it is. */
export function nameApp(application: string): string {
  const parts = application.split('.').filter((part) => part !== '')
  if (parts.length < 2) return application
  const word = parts.findLast((part) => !COMMON_PARTS.has(part.toLowerCase())) ?? parts.at(-1) ?? application
  const words = word.replaceAll(/[_-]+/g, ' ').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
