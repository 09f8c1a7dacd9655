/** Runs it again if the day ended meanwhile: what is dated today may be from yesterday. */
export async function withinOneDay(deed: () => Promise<void>): Promise<void> {
  const began = today();
  try {
    await deed();
  } catch (error) {
    if (today() === began) throw error;
    await deed();
  }
}

/** In local time and in UTC. */
function today(): string {
  const now = new Date();
  return `${now.toDateString()} ${now.toISOString().slice(0, 10)}`;
}
